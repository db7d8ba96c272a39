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

LIST = re.compile(rf"[{LETTERS}](?: ?[,;&/ ] ?[{LETTERS}])*")
RUN = re.compile(rf"[{LETTERS}]{{2,}}")
MARKED = re.compile(
    rf"(?<![\w\\])[(\[] ?([{LETTERS}](?: ?[,;&/ ] ?[{LETTERS}])*) ?[)\]]|(?<![\w\\(\[])([{LETTERS}])[).:] ?"
)
LABEL = re.compile(rf"(?:option|choice|answer)? ?[(\[]? ?([{LETTERS}]) ?(?:[)\].:]| -|$)", re.IGNORECASE)
DENIED = re.compile(r"\W*(?:is |are )?(?:not (?:correct|right|true)|incorrect|wrong|false)\W*", re.IGNORECASE)


def read_letters(answer: str) -> frozenset[str] | None:
    """The option letters an answer names, or None if it names none.

    Read are bare letters (`AC`, `A, C`, `a and c`), letters in parentheses (`(A) and (C)`) and letters that label their
    option's text (`E: a risk score`, `(C) 12`), every one of them. Prose is not searched for letters.
    """
    text = re.sub(r"\\?[{}$]|\\text\w*|\\math\w+|\\[,;! ]|\*+", " ", clean(answer)).strip(" .,;:")
    text = re.sub(r"\s+", " ", re.sub(r"\b(?:and|or)\b", ",", text).replace(", ,", ","))
    if LIST.fullmatch(text.upper()):
        return frozenset(character for character in text.upper() if character in LETTERS)
    if RUN.fullmatch(text):
        return frozenset(text)
    label = LABEL.match(text)
    if not label and not text.startswith(("(", "[")):
        return None
    marked = "".join(bracketed or labelled for bracketed, labelled in MARKED.findall(text))
    if "II" in text:  # a list of Roman numerals
        marked = marked.replace("I", "")
    if label and DENIED.fullmatch(text[label.end() :]):
        return None
    named = frozenset(character for character in marked if character in LETTERS)
    return named or (frozenset(label[1].upper()) if label else None)


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
