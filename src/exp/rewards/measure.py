"""Read a number with its percent sign, unit, degree or currency sign; small numbers may be words."""

from __future__ import annotations

import re

from exp.rewards.expression import parse_expression
from exp.rewards.readings import Expression
from exp.rewards.tokens import NotReadable
from exp.rewards.tree import Node, symbols
from exp.rewards.units import read_unit

MAX_LENGTH = 200  # characters of a number with its unit
NUMBER_WORDS = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
PERCENT = re.compile(r"\s*(?:%|\\text\s*\{\s*(?:%|per\s?cent)\s*\}|per\s?cent)\s*$", re.IGNORECASE)
CURRENCY = ("€", "£")
UNIT_START = re.compile(
    r"\s*(?:\\text\s*\{|\^\\circ|°|[€£¢])|(?<=[\d})])\s*(?=[A-Za-zμ][A-Za-zμ]|\\Omega)|\s+(?=[A-Za-zμ])"
)
DEGREES = "^\\circ"


def read_quantity(text: str) -> Expression:
    """The expression that `text` states, with its unit. Raises `NotReadable`.

    A unit in words or `\\text{}` is always one; letters after a number are one if the table of units knows them.
    """
    if percent := PERCENT.search(text):
        return Expression(_value(text[: percent.start()]), percent=True)
    if text.startswith(CURRENCY):
        return Expression(_value(text[1:]), unit=read_unit(text[0]))
    if text.endswith(DEGREES) and text.count(DEGREES) == 1:
        return Expression(_value(text.removesuffix(DEGREES)), unit=read_unit("°"))
    measured = _with_unit(text)
    if measured and measured.unit:
        is_meant = "\\text" in text or (measured.unit.known and not symbols(measured.tree))
        if is_meant:
            return measured
    try:
        return Expression(parse_expression(text))
    except NotReadable:
        if measured:
            return measured
        raise


def _with_unit(text: str) -> Expression | None:
    if len(text) > MAX_LENGTH:
        return None
    for start in UNIT_START.finditer(text):
        unit = read_unit(text[start.start() :]) if start.start() else None
        if unit is None:
            continue
        try:
            return Expression(_value(text[: start.start()]), unit=unit)
        except NotReadable:
            continue
    return None


def _value(text: str) -> Node:
    text = text.strip()
    return parse_expression(NUMBER_WORDS.get(text.casefold(), text))
