"""Sentences that name an answer ("the final answer is 5 m", "Answer: 5"), and the number that a sentence ends on."""

from __future__ import annotations

import re
from itertools import zip_longest

from exp.rewards.number import read_number

NUMERIC_KINDS = ("integer", "number", "jee_integer", "jee_numeric")
MAX_STATEMENT = 300

STATEMENT = re.compile(
    r"\b(?:answers?|respuesta|réponse|risposta|antwort|ответ)\b(?:\s*\([a-d]\))?[*_ ]*"
    r"(?:(?:is|are|es|est|ist|è|would be|should be|must be|will be|seems to be|equals?|=)\b[ :]*|[:：][*_ ]*\s*"
    r"|to the (?:problem|question) is |\W*\n+\s*(?=\W{0,4}\d))|答案\s*[是为]?\s*[:：]?\s*",
    re.IGNORECASE,
)
END = re.compile(
    r"\n\s*\n|\n(?=\s*(?:\*\*|#|[A-Z][a-z]))|(?:[.?]|(?<![\d)])!)(?=\s|$)(?<![A-Z]\.)|;\s"
    r"|\s*\((?=not\b|the\b|which\b|since\b)|,\s+not\b"
    r"|,?\s(?:because|since|as|where|which|while|but|but not|although|so)\s"
)
DENIED = re.compile(
    r"(?<!\()\b(?:is |it's |it is )?(?:not|isn't|cannot be|can't be|neither)\s+[^,.;]{1,30}?(?:\sbut\b|[,;]|(?=\.|$))",
    re.I,
)
VERB = re.compile(
    r"\b(?:is|are|was|equals|be|to|about|approximately|costs?|gives?|get|total(?:s|ing)?)\b|=|≈|\\approx", re.I
)
CONCLUDING = re.compile(r"\s*(?:therefore|hence|thus|so)\b", re.IGNORECASE)
SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+(?=[A-Z$(\\*])")
PLURAL = re.compile(
    r"\b(?:solutions|roots|values|numbers|zeros|zeroes)\b[^.]{0,60}?\bare\b:?\s*(.{1,80})$", re.IGNORECASE
)
CURRENCY = re.compile(r"\$\d[\d,.]*(?:\s|$)")
NUMBER = re.compile(
    r"(?:[A-Za-z',]+\s){0,6}\$?"
    r"([-−]?\s?[$€£]?(?:\d[\d,]*(?:\.\d+)?(?:\s?(?:\\times|\\cdot|×)\s?10\s?\^\s?\{?[-−]?\d{1,3}\}?|\s?/\s?\d+)?"
    r"|\\d?frac\{[^{}]{1,40}\}\{[^{}]{1,40}\}|\d*\\sqrt\{[^{}]{1,40}\})\s?(?:\\?%|percent)?)"
    r"(?![\d.]|\s*\$?\s*[-+*^_|(\\{/]|[A-Za-z])"
)
CAVEAT = re.compile(
    r",?\s*\(?\b(?:correct(?:ed)?|rounded|accurate|rounding|taking)\s(?:up\s?to|to|the|off)\b[^)]{0,60}\)?",
    re.IGNORECASE,
)


def statements(text: str, kind: str) -> list[str]:
    """What each sentence that names an answer says it is, from left to right; for numeric kinds the number in it."""
    found = []
    starts = list(STATEMENT.finditer(text))
    for start, following in zip_longest(starts, starts[1:]):
        end = min(following.start() if following else len(text), start.end() + MAX_STATEMENT)
        sentence = text[start.end() : end]
        sentence = DENIED.sub("", sentence)
        stop = END.search(sentence)
        value = (sentence[: stop.start()] if stop else sentence).strip(" \t\n*_,:!")
        if any(character.isalnum() for character in value):
            found.append(_number_of(value) if kind in NUMERIC_KINDS else value)
    return found


def conclusion(text: str) -> str | None:
    """The number of a last sentence that begins with "therefore" or its like and does not speak of an answer."""
    sentence = [part for part in SENTENCE.split(text[-2000:]) if part.strip()][-1]
    return last_value(text) if CONCLUDING.match(sentence) and not STATEMENT.search(sentence) else None


def last_value(text: str) -> str | None:
    """The number that the last sentence of `text` says something is; None where the text breaks off."""
    sentence = [part for part in SENTENCE.split(text[-2000:]) if part.strip()][-1].strip()
    is_whole = sentence[-1] in ".!)$%]*" or len(text) <= MAX_STATEMENT
    math_is_open = sentence.count("$") % 2 and not CURRENCY.search(sentence)
    if not is_whole or math_is_open or sentence.count("{") != sentence.count("}"):
        return None
    listed = PLURAL.search(sentence)
    return listed[1].strip(" $.") if listed else _number_said(sentence)


def _number_of(statement: str) -> str:
    if read_number(statement) is not None:
        return statement
    return _number_within(CAVEAT.sub("", statement)) or _number_said(statement) or statement


def _number_said(sentence: str) -> str | None:
    """The number after the last verb that has one after it."""
    sentence = CAVEAT.sub("", sentence)
    found = (_number_within(sentence[verb.end() :]) for verb in reversed(list(VERB.finditer(sentence))))
    return next((number for number in found if number is not None), None)


def _number_within(text: str) -> str | None:
    """The number that `text` begins with, after a few words; None where it begins a longer expression."""
    stop = END.search(text)
    text = (text[: stop.start()] if stop else text).strip(" $.*:")
    if read_number(text) is not None:
        return text
    found = NUMBER.match(text)
    return found[1].strip() if found and read_number(found[1]) is not None else None
