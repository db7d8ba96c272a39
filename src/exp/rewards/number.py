"""Kinds `integer` and `number`: a value, exactly or within a tolerance."""

from __future__ import annotations

import re
from fractions import Fraction

from exp.rewards.equality import same
from exp.rewards.evaluate import Evaluator, TooLarge, Undefined
from exp.rewards.notation import clean
from exp.rewards.readings import Expression, Fixed, Relation
from exp.rewards.structure import read
from exp.rewards.tokens import NotReadable
from exp.rewards.tree import is_worked_out, symbols
from exp.rewards.verdict import Verification, right, unparseable, wrong

ABSOLUTE_TOLERANCE = Fraction(1, 100)
RELATIVE_TOLERANCE = Fraction(2, 100)
SIMPLE = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d{1,300})(?:\.\d{1,300})?")


def verify_integer(answer: str, gold: str) -> Verification:
    """Right if the answer's value is exactly the gold's; `14.0`, `1{,}234` and `5 apples` are whole numbers too."""
    return _verify(answer, gold, tolerant=False)


def verify_number(answer: str, gold: str) -> Verification:
    """Right if |answer - gold| <= min(0.01, 0.02 |gold|), or exactly equal; units are compared where both have them.

    The absolute part is JEEBench's; the relative part keeps tiny golds from being equal to everything small.
    """
    return _verify(answer, gold, tolerant=True)


def read_number(text: str) -> Fraction | None:
    """The number that `text` states, whatever its unit or percent sign; None if it states none."""
    quantity = _quantity(text)
    return _value(quantity) if quantity else None


def _verify(answer: str, gold: str, tolerant: bool) -> Verification:
    if SIMPLE.fullmatch(answer) and SIMPLE.fullmatch(gold):  # most answers; spares the general reader
        value, wanted = Fraction(answer.replace(",", "")), Fraction(gold.replace(",", ""))
        return _compare(value, wanted, tolerant)
    found, sought = _quantity(answer), _quantity(gold)
    wanted_value = _value(sought) if sought else None
    if sought is None or wanted_value is None:
        return unparseable("the gold is not a number")
    found_value = _value(found) if found else None
    if found is None or found_value is None:
        return unparseable("the answer is not a number")
    if not is_worked_out(found.tree) and is_worked_out(sought.tree):
        return wrong("a sum or product that is not worked out")
    if same(found, sought):
        return right("equal")
    if found.unit and sought.unit and found.unit != sought.unit:
        if found.unit.dimension != sought.unit.dimension or not found.unit.known:
            return wrong("another unit")
        found_value *= found.unit.factor / sought.unit.factor
    if found.percent and not sought.percent:
        return wrong("differs")
    return _compare(found_value, wanted_value, tolerant)


def _compare(value: Fraction, wanted: Fraction, tolerant: bool) -> Verification:
    if value == wanted:
        return right("equal")
    margin = min(ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE * abs(wanted))
    if tolerant and abs(value - wanted) <= margin:
        return right(f"within {float(margin):g}")
    return wrong("differs")


def _quantity(text: str) -> Expression | None:
    try:
        reading = read(clean(text))
    except NotReadable:
        return None
    if isinstance(reading, Relation):
        if not all(sign in ("=", "\\approx") for sign in reading.signs):
            return None
        reading = reading.sides[-1]
    if isinstance(reading, Fixed) and reading.kind == "ratio" and reading.text.count(":") == 1:
        return _quantity(reading.text.replace(":", "/"))
    return reading if isinstance(reading, Expression) else None


def _value(quantity: Expression) -> Fraction | None:
    if symbols(quantity.tree):
        return None
    try:
        value = Evaluator().value(quantity.tree)
    except (TooLarge, Undefined):
        return None
    if isinstance(value, Fraction):
        return value
    return Fraction(value.real) if abs(value.imag) <= 1e-12 * abs(value) else None
