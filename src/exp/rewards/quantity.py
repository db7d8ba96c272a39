"""Whether two expressions have the same value: percent signs, units, angles, rounded decimals, and the form that was asked for."""

from __future__ import annotations

from fractions import Fraction

from exp.rewards.evaluate import Evaluator, TooLarge, Undefined, same_value
from exp.rewards.readings import Expression
from exp.rewards.tree import Node, factors, has_decimal, integer, symbols

HUNDRED = integer(100)
DEGREE = Node("div", (Node("pi"), integer(180)))


def same_quantity(answer: Expression, gold: Expression) -> bool | None:
    if answer.percent or gold.percent:
        if answer.percent and gold.percent:
            return same_tree(answer.tree, gold.tree)
        marked, bare = (answer, gold) if answer.percent else (gold, answer)
        share = Node("div", (marked.tree, HUNDRED))
        return _either(same_tree(marked.tree, bare.tree), same_tree(share, bare.tree))
    if answer.unit and gold.unit:
        if not (answer.unit.known and gold.unit.known):
            same_words = answer.unit.words == gold.unit.words and answer.unit.known == gold.unit.known
            return same_tree(answer.tree, gold.tree) if same_words else False
        if answer.unit.dimension != gold.unit.dimension:
            return False
        if answer.unit.factor == gold.unit.factor:
            return same_tree(answer.tree, gold.tree)
        return same_tree(_times(answer.tree, answer.unit.factor), _times(gold.tree, gold.unit.factor))
    angle = next((e for e in (answer, gold) if e.unit and e.unit.dimension == (("rad", 1),)), None)
    if angle and angle.unit and angle.unit.factor != 1:
        other = gold if angle is answer else answer
        radians = Node("mul", (angle.tree, DEGREE))
        return _either(same_tree(angle.tree, other.tree), same_tree(radians, other.tree))
    return same_tree(answer.tree, gold.tree)


def _either(first: bool | None, second: bool | None) -> bool | None:
    return True if first or second else (None if None in (first, second) else False)


def _times(tree: Node, factor: Fraction) -> Node:
    return Node("mul", (tree, Node("number", value=factor)))


def same_tree(answer: Node, gold: Node) -> bool | None:
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

    Whoever asks to expand or to factor asks for the form; without this rule, copying the question's own expression pays.
    """
    for one, other in ((answer, gold), (gold, answer)):
        sums = {factor for factor in factors(one) if factor.kind == "add" and symbols(factor)}
        if other.kind == "add" and len(sums) > 1 and symbols(one) == symbols(other):
            return True
    return False
