"""Kind `math`: the same text, the same structure and value, and only then computer algebra in a worker."""

from __future__ import annotations

import re

from exp.contract.box import is_balanced
from exp.rewards.equality import same
from exp.rewards.notation import clean
from exp.rewards.readings import Fixed, Reading
from exp.rewards.sandbox import Sandbox, TimedOut
from exp.rewards.structure import read
from exp.rewards.tokens import NotReadable
from exp.rewards.verdict import Verdict, Verification, right, unparseable, wrong

MAX_ALGEBRA = 300  # characters handed to computer algebra
MAX_NESTING = 20
MAX_WORDS = 6  # a gold of more words is prose, not an answer

ALGEBRA = Sandbox("algebra", memory_gib=2)
COMMAND = re.compile(r"\\[A-Za-z]+|\\text\s*\{[^{}]*\}")
WORD = re.compile(r"[A-Za-z]{4,}")
OPERATOR = re.compile(r"\\(?:sum|prod|int)(?![A-Za-z])")
INDEXED = re.compile(r"(?<![A-Za-z\\])[A-Za-z]_")
VARIABLE_POWER = re.compile(r"(?<![A-Za-z\\])[a-df-z]\s*\^\s*\{?\s*[a-z]")
TOWER = re.compile(r"\^\s*[{(]*[^{}()]*\^\s*[{(]*[^{}()]*\^|\d{4,}\s*\)*!|!!|\^\s*\{?\(?\d{5,}")


def verify_math(answer: str, gold: str) -> Verification:
    """Right if the answer is mathematically the gold: value, set, interval, tuple, matrix, equation, or same words."""
    cleaned, wanted = clean(answer), clean(gold)
    if _squeeze(cleaned) == _squeeze(wanted):
        return right("same text")
    ALGEBRA.prepare()
    reading, sought = _read(cleaned), _read(wanted)
    if reading is not None and sought is not None:
        verdict = same(reading, sought)
        if verdict is not None:
            return _verdict(verdict, reading, sought)
    if not (_is_algebra(cleaned) and _is_algebra(wanted)):
        return wrong("not the gold") if reading is not None else unparseable("the answer cannot be read")
    return _algebra(cleaned, wanted)


def math_gold_problem(gold: str) -> str | None:
    """Why `gold` cannot be compared as mathematics, if it cannot: prose, or text that neither reader understands."""
    cleaned = clean(gold)
    reading = _read(cleaned)
    if isinstance(reading, Fixed) and reading.kind == "words" and len(reading.text.split()) > MAX_WORDS:
        return "it is prose, not an answer"
    if reading is not None:
        return None
    if not _is_algebra(cleaned):
        return "it cannot be read as mathematics"
    verdict = _algebra(cleaned, cleaned).verdict
    return None if verdict is Verdict.RIGHT else f"it does not verify against itself ({verdict})"


def _squeeze(text: str) -> str:
    """`text` without the blanks that separate nothing (`1 2` is not `12`) and without final punctuation."""
    return re.sub(r"\s+(?![0-9A-Za-z])|(?<![0-9A-Za-z])\s+", "", text).rstrip(".,;")


def _read(cleaned: str) -> Reading | None:
    try:
        return read(cleaned)
    except NotReadable:
        return None


def _verdict(equal: bool, reading: Reading, sought: Reading) -> Verification:
    if equal:
        return right("equal")
    if isinstance(reading, Fixed) and reading.kind == "words" and not isinstance(sought, Fixed):
        return unparseable("words where mathematics is expected")
    return wrong("not equal")


def _is_algebra(cleaned: str) -> bool:
    """Whether computer algebra may see the text: short and flat, no towers, no words (it reads them as products)."""
    if not (cleaned.isascii() and len(cleaned) <= MAX_ALGEBRA and is_balanced(cleaned)):
        return False
    level = deepest = 0
    for character in cleaned:
        level += (character in "({[") - (character in ")}]")
        deepest = max(deepest, level)
    if OPERATOR.search(cleaned) and (INDEXED.search(cleaned) or VARIABLE_POWER.search(cleaned)):
        return False  # the terms F_k of a sequence would be read as one constant; x^x has no integral to be found
    says_something = any(character.isalnum() for character in cleaned)
    is_prose = WORD.search(COMMAND.sub(" ", cleaned)) is not None
    return says_something and deepest <= MAX_NESTING and not is_prose and not TOWER.search(cleaned)


def _algebra(answer: str, gold: str) -> Verification:
    try:
        reply = ALGEBRA.request("equal", answer=answer, gold=gold)
    except TimedOut as error:
        return Verification(Verdict.TIMEOUT, f"computer algebra: {error}", 0.0)
    if reply["verdict"] == "right":
        return right("equal by computer algebra")
    if reply["verdict"] == "wrong":
        return wrong("not equal by computer algebra")
    return unparseable(f"computer algebra cannot read it: {reply['reason']}")
