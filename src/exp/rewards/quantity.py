"""Whether two expressions have the same value: percent signs, units, angles, rounded decimals, the form asked for."""

from __future__ import annotations

from fractions import Fraction

from exp.rewards.evaluate import Evaluator, TooLarge, Undefined, same_value
from exp.rewards.readings import Expression
from exp.rewards.tree import Node, factors, has_decimal, integer, symbols
from exp.rewards.units import Unit

HUNDRED = integer(100)
ANGLE = (("rad", 1),)
DEGREE = Node("div", (Node("pi"), integer(180)))


def same_quantity(answer: Expression, gold: Expression) -> bool | None:
    """Whether both state the same quantity; None if only computer algebra could tell.

    Units count where both sides have one. A percent sign on one side only may be left out or carried out (50% is 50 and
    0.5), but a gold below 1 without the sign is a share. A bare number beside an angle may be degrees or radians.
    """
    if answer.percent or gold.percent:
        return _same_percent(answer, gold)
    if answer.unit and gold.unit:
        return _same_measure(answer.tree, answer.unit, gold.tree, gold.unit)
    for angle, other in ((answer, gold), (gold, answer)):
        if angle.unit and angle.unit.dimension == ANGLE and angle.unit.factor != 1:
            radians = Node("mul", (angle.tree, DEGREE))
            return _either(same_tree(angle.tree, other.tree), same_tree(radians, other.tree))
    return same_tree(answer.tree, gold.tree)


def _same_percent(answer: Expression, gold: Expression) -> bool | None:
    if answer.percent and gold.percent:
        return same_tree(answer.tree, gold.tree)
    marked, bare = (answer, gold) if answer.percent else (gold, answer)
    carried_out = same_tree(Node("div", (marked.tree, HUNDRED)), bare.tree)
    if answer.percent and _is_share(gold.tree):
        return carried_out
    return _either(same_tree(marked.tree, bare.tree), carried_out)


def _is_share(tree: Node) -> bool:
    try:
        value = Evaluator().value(tree)
    except (TooLarge, Undefined):
        return False
    return isinstance(value, Fraction) and not symbols(tree) and abs(value) < 1


def _same_measure(value: Node, unit: Unit, wanted: Node, wanted_unit: Unit) -> bool | None:
    if unit == wanted_unit:
        return same_tree(value, wanted)
    if unit.dimension != wanted_unit.dimension or not unit.known:
        return False
    return same_tree(_times(value, unit.factor), _times(wanted, wanted_unit.factor))


def _either(first: bool | None, second: bool | None) -> bool | None:
    return True if first or second else (None if None in (first, second) else False)


def _times(tree: Node, factor: Fraction) -> Node:
    return Node("mul", (tree, Node("number", value=factor)))


def same_tree(answer: Node, gold: Node) -> bool | None:
    """Whether both trees have the same value and, where that is what the question asks for, the same form."""
    if answer == gold:
        return True
    infinities = _infinity(answer), _infinity(gold)
    if any(infinities):
        return infinities[0] == infinities[1]
    if _expanded_against_product(answer, gold):
        return False
    try:
        return same_value(answer, gold, rounded=_may_be_rounded(answer, gold))
    except (TooLarge, Undefined):
        # A gold that has a value is not equal to an answer that has none; the rest is for computer algebra.
        return False if _has_value(gold) else None


def _has_value(tree: Node) -> bool:
    try:
        Evaluator().value(tree)
    except (TooLarge, Undefined):
        return False
    return True


def _infinity(tree: Node) -> int:
    if tree.kind == "neg":
        return -_infinity(tree.args[0])
    return int(tree.kind == "infinity")


def _may_be_rounded(answer: Node, gold: Node) -> bool:
    """One side is a decimal, and the other has a value that no decimal of finite length states exactly."""
    if has_decimal(answer) == has_decimal(gold):
        return False
    exact = gold if has_decimal(answer) else answer
    try:
        value = Evaluator().value(exact)
    except (TooLarge, Undefined):
        return False
    if not isinstance(value, Fraction):
        return True
    denominator = value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator > 1


def _expanded_against_product(answer: Node, gold: Node) -> bool:
    """One side is a sum, the other a product of two different sums of the same variables.

    Whoever asks to expand or to factor asks for the form; without this rule, copying the question's expression pays.
    """
    for one, other in ((answer, gold), (gold, answer)):
        sums = {factor for factor in factors(one) if factor.kind == "add" and symbols(factor)}
        if other.kind == "add" and len(sums) > 1 and symbols(one) == symbols(other):
            return True
    return False
