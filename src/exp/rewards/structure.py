"""Read an answer as a whole: a list, a tuple, a set, an interval, a relation, a matrix, a quantity, or words."""

from __future__ import annotations

import re

from exp.rewards.brackets import encloses, split
from exp.rewards.expression import parse_expression
from exp.rewards.measure import NUMBER_WORDS, read_quantity
from exp.rewards.notation import plain
from exp.rewards.readings import Collection, Expression, Fixed, Matrix, Reading, Relation, Union
from exp.rewards.tokens import NotReadable
from exp.rewards.units import read_unit

MAX_PARTS = 64
MAX_DEPTH = 8

NUMERAL = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)")
GROUPED = re.compile(r"(?<![\d.,])(\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?: \d{3})+)(?![\d,])")
MATRIX = re.compile(r"\\begin\{([pbvB]?matrix|array)\}(?:\{[lcr| ]*\})?(.*)\\end\{\1\}", re.DOTALL)
ROW_END = re.compile(r"\\\\(?:\[[^\]]*\])?|\\hline")
BASED = re.compile(r"\(?(?:\\text\{)?([0-9A-F]+(?:\.[0-9A-F]+)?)\}?\)?_\{?(?:\\text\{)?(\d{1,2}|[a-z]{3,7})\}?\}?")
BASES = {"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"}
BASES |= {"ten": "10", "twelve": "12", "sixteen": "16"}
RATIO = re.compile(r"[^:]{1,80}(?::[^:]{1,80})+")
STYLED = re.compile(r"\\text\s*\{([^{}]*)\}")
WORD = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{2,}")
WORDS = re.compile(r"[A-Za-z\s.,;!'\-]*")
LEAD = re.compile(
    r"(?:\\approx|=|:|\\therefore|\\Rightarrow|\\implies|approximately|about|approx\.?|exactly|roughly|\+(?=[\d.]))\s*",
    re.IGNORECASE,
)
MAX_LEADS = 4

AND_OR = r"(?:\\text\s*\{\s*,?\s*(?:and|or)\s*\}|(?<![A-Za-z\\{])(?:and|or)(?![A-Za-z}]))"
CONJUNCTION = re.compile(AND_OR)
LIST = re.compile(rf"\s*[;,]\s*{AND_OR}?\s*|\s*{AND_OR}\s*")
COMMA = re.compile(r"\s*[;,]\s*")
CUP = re.compile(r"\\cup(?![A-Za-z])")
PLUS_MINUS = re.compile(r"\\pm(?![A-Za-z])")
RELATION = re.compile(r"\\(?:le|ge|ne|approx|in|equiv|sim)(?![A-Za-z])|<=|>=|!=|[=<>]")
SPELLING = {"<=": "\\le", ">=": "\\ge", "!=": "\\ne", "\\equiv": "=", "\\sim": "\\approx"}
BRACKETS = {"(": (")", "]"), "[": (")", "]"), "\\{": ("\\}",), "\\langle": ("\\rangle",), "{": ("}",)}
PLAIN_BRACKET = {"\\{": "{", "\\}": "}", "\\langle": "(", "\\rangle": ")"}


def read(text: str, depth: int = 0) -> Reading:
    """What `text` (already cleaned) says. Raises `NotReadable`."""
    text = _trimmed(text)
    if not text:
        raise NotReadable("nothing is written")
    if depth > MAX_DEPTH:
        raise NotReadable("nested too deeply")
    if NUMERAL.fullmatch(text):
        return Expression(parse_expression(text.rstrip(".")))
    if "\\ldots" in text or "..." in text:
        return Fixed("series", re.sub(r"[\s{}]", "", text.replace("...", "\\ldots")))
    if matrix := MATRIX.fullmatch(text):
        return _matrix(matrix[2], depth)
    if (based := BASED.fullmatch(text)) and (based[2].isdigit() or based[2] in BASES):
        return Fixed("numeral", f"{based[1]}_{BASES.get(based[2], based[2])}")
    if _is_words(text):
        return _words(text)
    return _composite(GROUPED.sub(lambda m: re.sub("[, ]", "", m[1]), text), depth)


def _trimmed(text: str) -> str:
    """`text` without words of approximation before it and punctuation after it; a `!` after it is a factorial."""
    text = text.strip()
    for _ in range(MAX_LEADS):
        lead = LEAD.match(text)
        text = text[lead.end() :] if lead else text
    while text.endswith((",", ";", ":")) or (text.endswith(".") and not text.endswith("...")):
        text = text[:-1].rstrip()
    return text


def _composite(text: str, depth: int) -> Reading:
    parts, marks = split(text, LIST)
    if marks:
        return _list(_parts(parts, depth), marks)
    joined, cups = split(text, CUP)
    if cups:
        return Union(_parts(joined, depth))
    sides, signs = split(text, RELATION)
    if signs:
        return _relation(sides, [SPELLING.get(sign, sign) for sign in signs], depth)
    if bracketed := _bracketed(text, depth):
        return bracketed
    pieces, _ = split(text, PLUS_MINUS)
    if len(pieces) == 2:
        return Collection("", "", _parts([f"{pieces[0]}{sign}{pieces[1]}" for sign in "+-"], depth))
    if RATIO.fullmatch(text):
        return Fixed("ratio", re.sub(r"\s", "", text))
    return read_quantity(text)


def _parts(texts: list[str], depth: int) -> tuple[Reading, ...]:
    if len(texts) > MAX_PARTS:
        raise NotReadable("too many parts")
    return tuple(read(text, depth + 1) for text in texts if text.strip())


def _list(parts: tuple[Reading, ...], marks: list[str]) -> Reading:
    if not parts:
        raise NotReadable("a list of nothing")
    first, *rest = parts
    if not rest:
        return first
    if all(isinstance(part, Relation) and part.signs[0] != "=" for part in parts) and all("or" in m for m in marks):
        return Union(parts)
    if isinstance(first, Relation) and first.signs == ("=",) and not any(isinstance(part, Relation) for part in rest):
        first = first.sides[1]  # "n = 2, 3, 4"
    return Collection("", "", (first, *rest))


def _relation(sides: list[str], signs: list[str], depth: int) -> Reading:
    if signs == ["\\in"]:
        return read(sides[1], depth + 1)
    if not sides[0].strip():
        raise NotReadable("a relation without a left side")
    if len(sides) > MAX_PARTS:
        raise NotReadable("too many sides")
    return Relation(tuple(_side(side, depth) for side in sides), tuple(signs))


def _side(text: str, depth: int) -> Reading:
    """One side of a relation; what cannot be read may still be the same text on both sides."""
    try:
        return read(text, depth + 1)
    except NotReadable:
        return Fixed("opaque", re.sub(r"\s", "", text))


def _bracketed(text: str, depth: int) -> Reading | None:
    if text == "\\emptyset":
        return Collection("{", "}", ())
    opening = next((o for o in BRACKETS if text.startswith(o)), None)
    closing = next((c for c in BRACKETS.get(opening or "", ()) if text.endswith(c)), None)
    if opening is None or closing is None or not encloses(text):
        return None
    inside = text[len(opening) : -len(closing)]
    parts, commas = split(inside, COMMA)
    first, last = PLAIN_BRACKET.get(opening, opening), PLAIN_BRACKET.get(closing, closing)
    if opening in ("(", "[", "{") and not commas:
        is_pair = first + last in ("()", "[]", "{}")
        return read(inside, depth + 1) if is_pair else None
    return Collection(first, last, _parts(parts, depth))


def _matrix(body: str, depth: int) -> Matrix:
    rows = [row for row in ROW_END.split(body) if row.strip()]
    if len(rows) > MAX_PARTS:
        raise NotReadable("too many rows")
    return Matrix(tuple(_parts(row.split("&"), depth) for row in rows))


def _is_words(text: str) -> bool:
    unstyled = STYLED.sub("", text)
    has_word = len(unstyled) < len(text) or WORD.search(text) is not None
    return has_word and WORDS.fullmatch(unstyled) is not None and not CONJUNCTION.search(text) and len(plain(text)) > 1


def _words(text: str) -> Reading:
    words = plain(text)
    if words in ("infinity", "pi"):
        return Expression(parse_expression({"infinity": "\\infty", "pi": "\\pi"}[words]))
    if words in NUMBER_WORDS or NUMERAL.fullmatch(words):
        return Expression(parse_expression(NUMBER_WORDS.get(words, words)))
    styled = STYLED.fullmatch(text)
    if styled and any(character.isdigit() for character in styled[1]):
        return read(styled[1], 1)
    number, _, unit = words.partition(" ")
    if number in NUMBER_WORDS and unit:
        return Expression(parse_expression(NUMBER_WORDS[number]), unit=read_unit(unit))
    return Fixed("words", words)
