"""Multiple choice: one letter, several letters, and JEEBench's scoring rule."""

from __future__ import annotations

import re

from exp.rewards.notation import clean
from exp.rewards.number import read_number
from exp.rewards.verdict import Verification, right, unparseable, wrong

LETTERS = "ABCDEFGHIJ"
JEE_TOLERANCE = 0.01
FLOAT_EXACT = 10**15
JEE_KINDS = {"MCQ": "jee_mcq", "MCQ(multiple)": "jee_multiple", "Integer": "jee_integer", "Numeric": "jee_numeric"}
"""The verifier kind of each JEEBench question type."""

BARE = re.compile(rf"[{LETTERS}](?:\s*(?:,|;|&|/|and|or|\s)\s*[{LETTERS}])*|[{LETTERS}]{{2,}}")
JOINT = " ?(?:(?:,|;|&|and|or) ?){0,2}"
GROUP = rf"[(\[] ?[{LETTERS}](?:{JOINT}[{LETTERS}])* ?[)\]]"
RUN = re.compile(rf"{GROUP}(?:(?: ?(?:(?:,|;|&|and|or) ?){{1,2}})?{GROUP})*")
LABELLED = re.compile(rf"(?:option|choice|answer)?\s*[(\[]?\s*([{LETTERS}])\s*(?:[)\].:]|\s-|,|$)", re.IGNORECASE)


def read_letters(answer: str) -> frozenset[str] | None:
    """The option letters an answer names, or None if it names none.

    Read are bare letters (`AC`, `A, C`, `A and C`, any case for a single one), letters in parentheses (`(A) and (C)`) and a
    letter that labels its option's text (`E: a risk score`, `(C) 12`). Prose is not searched for letters.
    """
    text = re.sub(r"\\?[{}$]|\\text\w*|\\math\w+|\\[,;! ]|\*+", " ", clean(answer)).strip(" .,;:")
    text = re.sub(r"\s+", " ", text)
    if len(text) == 1 and text.upper() in LETTERS:
        return frozenset(text.upper())
    if BARE.fullmatch(text):
        return frozenset(c for c in re.sub(r"and|or", "", text) if c in LETTERS)
    if run := RUN.match(text):
        return frozenset(c for c in run.group() if c in LETTERS)
    if labelled := LABELLED.match(text):
        return frozenset(labelled[1].upper())
    return None


def verify_choice(answer: str, gold: str) -> Verification:
    """Right if the answer names the gold's letter and no other."""
    return _compare(answer, gold, at_most=1)


def verify_choices(answer: str, gold: str) -> Verification:
    """Right if the answer names exactly the gold's letters, in any order; no partial credit."""
    return _compare(answer, gold, at_most=len(LETTERS))


def verify_jee_multiple(answer: str, gold: str) -> Verification:
    """JEEBench, several options: 1 for all letters; 0.25 per letter for a proper subset; 0 with any wrong letter.

    Source: JEEBench (arXiv 2305.15074), section 4.
    """
    found = _compare(answer, gold, at_most=len(LETTERS))
    letters, wanted = read_letters(answer), read_letters(gold)
    if letters and wanted and letters < wanted:
        return wrong(f"{len(letters)} of {len(wanted)} letters, none wrong", score=0.25 * len(letters))
    return found


def verify_jee_number(answer: str, gold: str) -> Verification:
    """JEEBench, Integer and Numeric: right if |answer - gold| <= 0.01, in floating point as published.

    Source: JEEBench (arXiv 2305.15074), section 4.
    """
    value, wanted = read_number(answer), read_number(gold)
    if value is None or wanted is None:
        return unparseable("the answer is not a number" if wanted is not None else "the gold is not a number")
    near = abs(value - wanted) < 1 and abs(wanted) < FLOAT_EXACT and abs(float(value) - float(wanted)) <= JEE_TOLERANCE
    return right("within 0.01") if near else wrong("differs by more than 0.01")


def _compare(answer: str, gold: str, at_most: int) -> Verification:
    wanted = read_letters(gold)
    if not wanted or len(wanted) > at_most:
        return unparseable("the gold names no option" if not wanted else "the gold names several options")
    letters = read_letters(answer)
    if not letters:
        return unparseable("the answer names no option")
    named = "".join(sorted(letters))
    if letters == wanted:
        return right(f"names {named}")
    return wrong(f"names {named}" if len(letters) <= at_most else f"names several options: {named}")
