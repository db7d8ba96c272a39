r"""Find the final answer of a completion that follows no format: for models nobody has taught one.

Only text after the reasoning counts. In order: `<answer>` tags; the last `\boxed{}`; `#### n`; sentences that name an
answer ("the answer is", "Answer:"); a short text as a whole; the number the last sentence ends on. Several different
finals without a word of correction between them are hedging, and hold no answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from exp.contract.box import Box, find_boxes
from exp.rewards.choice import read_letters
from exp.rewards.notation import clean, plain
from exp.rewards.number import read_number
from exp.rewards.options import CHOICE_KINDS, find_options, letters_named, unwrapped
from exp.rewards.statements import NUMERIC_KINDS, VERB, conclusion, last_value, statements

SHORT = 60
ONE_BREATH = 40
MAX_PROSE = 20_000  # characters at the end of a text in which sentences are read
REASONING_TAGS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<start_working_out>", "<end_working_out>"),
)
ANSWER_TAGS = re.compile(r"<(answer|solution)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
HASHES = re.compile(r"####[ \t]*(\S[^\n]{0,200})")
LEADING_NUMBER = re.compile(r"[^\w\s]{0,2}[-−]?[$€£]?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?")
ANSWER_LINE = re.compile(r"^\W*(?:final\s+)?answer\W", re.IGNORECASE | re.MULTILINE)
CORRECTION = re.compile(
    r"\b(?:actually|wait|correct(?:ion|ed)|sorry|mistake|instead|rather|reconsider|on reflection|no,|oops|hmm)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Extraction:
    """The final answer, or None, and what is doubtful about it in plain words."""

    answer: str | None
    problems: tuple[str, ...] = ()


def extract_leniently(text: str, kind: str) -> Extraction:
    """The final answer of `text`; `kind` decides whether option letters, numbers or anything is looked for."""
    found = _extract(text, kind)
    if found.answer is None or kind not in NUMERIC_KINDS:
        return found
    value = read_number(found.answer)
    if value is None:
        return Extraction(None, ("the final answer is no number",))
    if kind == "jee_integer" and "." in found.answer and abs(value - round(value)) > Fraction(1, 100):
        return Extraction(None, ("the final answer is no whole number",))
    return found


def _extract(text: str, kind: str) -> Extraction:
    outside = _after_reasoning(text)
    if outside is None:
        return Extraction(None, ("the reasoning is never finished",))
    if blocks := [match[2].strip() for match in ANSWER_TAGS.finditer(outside)]:
        return _from_blocks(blocks)
    boxes = find_boxes(outside)
    if boxes.unclosed:
        return Extraction(None, ("the last box is never closed",))
    if kind in CHOICE_KINDS:
        return _from_options(outside, boxes.closed, kind)
    if boxes.closed:
        return _from_boxes(outside, boxes.closed, kind)
    if hashes := [_hash_value(match[1]) for match in HASHES.finditer(outside)]:
        return Extraction(hashes[-1]) if len({plain(h) for h in hashes}) == 1 else _hedging(hashes)
    return _from_sentences(outside, kind)


def _after_reasoning(text: str) -> str | None:
    for opening, closing in REASONING_TAGS:
        end = text.rfind(closing)
        if text.rfind(opening) > end:
            return None
        if end >= 0:
            text = text[end + len(closing) :]
    return text


def _from_blocks(blocks: list[str]) -> Extraction:
    if not blocks[-1]:
        return Extraction(None, ("the answer is empty",))
    if len({plain(block) for block in blocks}) > 1:
        return _hedging(blocks)
    boxes = find_boxes(blocks[-1]).closed
    return Extraction(boxes[-1].content if boxes else blocks[-1])


def _from_boxes(text: str, boxes: tuple[Box, ...], kind: str) -> Extraction:
    last = boxes[-1]
    joined = _in_one_breath(text, boxes)
    contents = list(dict.fromkeys(box.content for box in joined))
    if len(contents) > 1:
        gaps = " ".join(text[a.end : b.start] for a, b in pairwise(joined))
        if re.search(r"\b(?:or|either|maybe)\b", gaps):
            return _hedging(contents)
        return Extraction(", ".join(contents))
    later = statements(text[last.end :][-MAX_PROSE:], kind)
    if later and not _agree(later[-1], last.content):
        if CORRECTION.search(text[last.end :]):
            return Extraction(later[-1], ("a correction after the box",))
        return _hedging([last.content, later[-1]])
    return Extraction(last.content)


def _in_one_breath(text: str, boxes: tuple[Box, ...]) -> list[Box]:
    r"""The last box and those before it that a few words join to it, as in `\boxed{3} or \boxed{5}`."""
    joined = [boxes[-1]]
    for box in reversed(boxes[:-1]):
        gap = text[box.end : joined[0].start]
        if len(gap) > ONE_BREATH or re.search(r"[.!?\n]|[^\s\w,$\\()\[\]]{3}", gap) or CORRECTION.search(gap):
            break
        joined.insert(0, box)
    return joined


def _from_options(text: str, boxes: tuple[Box, ...], kind: str) -> Extraction:
    if boxes:
        boxed = _from_boxes(text, boxes, kind)
        if boxed.answer is None:
            return boxed
        letters = letters_named(unwrapped(boxed.answer), bare=False) or boxed.answer
        if read_letters(letters):
            return Extraction(letters, boxed.problems)
    text = text[-MAX_PROSE:]
    lines = [unwrapped(line[start.end() :]) for line in text.splitlines() if (start := ANSWER_LINE.match(line))]
    finals = [named for line in lines if (named := letters_named(line, bare=True))]
    if len(set(finals)) > 1 and not CORRECTION.search(text):
        return _hedging(finals)
    settled = find_options(text, several=kind in ("choices", "jee_multiple"))
    return Extraction(settled) if settled else Extraction(None, ("no option is named as the answer",))


def _from_sentences(text: str, kind: str) -> Extraction:
    text = text[-MAX_PROSE:]
    if finals := statements(text, kind):
        differ = any(not _agree(final, finals[-1]) for final in finals)
        # Lines such as "Answer: 1", "Answer: 2" enumerate; several answers in prose may be a train of thought.
        if differ and len(ANSWER_LINE.findall(text)) > 1 and not CORRECTION.search(text):
            return _hedging(finals)
        concluded = conclusion(text) if kind in NUMERIC_KINDS else None
        return Extraction(concluded or finals[-1])
    stripped = text.strip()
    if not stripped:
        return Extraction(None, ("nothing is written",))
    is_short = len(stripped) <= SHORT and "\n" not in stripped
    says_number = VERB.search(stripped) and any(character.isdigit() for character in stripped)
    if is_short and (read_number(stripped) is not None or not says_number):
        return Extraction(stripped, ("the whole text",))
    said = last_value(stripped)
    return Extraction(said, ("what the last sentence ends on",)) if said else Extraction(None, ("no answer is named",))


def _hash_value(line: str) -> str:
    number = LEADING_NUMBER.match(line)
    return number.group() if number else line.strip()


def _agree(one: str, other: str) -> bool:
    """Whether two finals are plainly the same; what is neither number nor letter is given the benefit of the doubt."""
    if plain(one) == plain(other):
        return True
    numbers = read_number(one), read_number(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    letters = read_letters(one), read_letters(other)
    return None in letters or letters[0] == letters[1] or len(clean(one)) > SHORT


def _hedging(finals: list[str]) -> Extraction:
    distinct = list(dict.fromkeys(finals))
    return Extraction(None, ("several different finals: " + ", ".join(repr(final[:40]) for final in distinct[:5]),))
