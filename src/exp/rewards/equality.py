"""Whether two readings say the same. Pure and bounded; None where only computer algebra could tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exp.rewards.evaluate import Evaluator, TooLarge, Undefined, close
from exp.rewards.expression import parse_expression
from exp.rewards.quantity import same_quantity, same_tree
from exp.rewards.readings import Collection, Expression, Fixed, Matrix, Reading, Relation, Union
from exp.rewards.tokens import NotReadable
from exp.rewards.tree import Node, symbols

EQUAL_SIGNS = ("=", "\\approx")
ORDERS = {"<": -1, "\\le": -1, ">": 1, "\\ge": 1}


@dataclass(frozen=True)
class Interval:
    """An interval of the reals; the ends are trees (possibly infinity)."""

    low: Node
    high: Node
    low_closed: bool
    high_closed: bool


def same(answer: Reading, gold: Reading) -> bool | None:
    """Whether `answer` says what `gold` says; None if only computer algebra could tell."""
    if isinstance(answer, Fixed) and isinstance(gold, Fixed):
        return answer == gold or (None if "opaque" in (answer.kind, gold.kind) else False)
    if isinstance(answer, Relation) or isinstance(gold, Relation):
        return _same_relation(answer, gold)
    if isinstance(answer, Expression) and isinstance(gold, Expression):
        return same_quantity(answer, gold)
    if isinstance(answer, Fixed) or isinstance(gold, Fixed):
        return _same_letters(answer, gold)
    if isinstance(answer, Union) and isinstance(gold, Union):
        return _matched(answer.parts, gold.parts)
    if isinstance(answer, Matrix) or isinstance(gold, Matrix):
        return _same_matrix(answer, gold)
    if isinstance(answer, Collection) and isinstance(gold, Collection):
        return _same_collection(answer, gold)
    return _same_single(answer, gold)


def _same_letters(answer: Reading, gold: Reading) -> bool | None:
    r"""A short run of letters against an expression, as in `xy` and `x \cdot y`."""
    for letters, other in ((answer, gold), (gold, answer)):
        if isinstance(letters, Fixed) and letters.kind == "opaque":
            return None
        if isinstance(letters, Fixed) and isinstance(other, Expression) and symbols(other.tree):
            try:
                return same(Expression(parse_expression(letters.text)), other)
            except NotReadable:
                return False
    return False


def _same_single(answer: Reading, gold: Reading) -> bool | None:
    """A set of one element stands for the element; nothing else of different shape is the same."""
    for one, other in ((answer, gold), (gold, answer)):
        if isinstance(one, Collection) and isinstance(other, Expression) and one.opening == "{" and len(one.parts) == 1:
            return same(one.parts[0], other)
    return False


def _same_collection(answer: Collection, gold: Collection) -> bool | None:
    kinds = {answer.opening, gold.opening}
    if kinds == {"{"}:
        forth = _each_has_partner(answer.parts, gold.parts)
        return forth and _each_has_partner(gold.parts, answer.parts)
    if kinds <= {"", "{"}:
        return _matched(answer.parts, gold.parts)
    if "" not in kinds and (answer.opening, answer.closing) != (gold.opening, gold.closing):
        return False
    return _ordered(answer.parts, gold.parts) if "{" not in kinds else False


def _same_matrix(answer: Reading, gold: Reading) -> bool | None:
    if isinstance(answer, Matrix) and isinstance(gold, Matrix):
        if [len(row) for row in answer.rows] != [len(row) for row in gold.rows]:
            return False
        return _ordered([c for row in answer.rows for c in row], [c for row in gold.rows for c in row])
    matrix, other = (answer, gold) if isinstance(answer, Matrix) else (gold, answer)
    assert isinstance(matrix, Matrix)
    is_vector = len(matrix.rows) == 1 or all(len(row) == 1 for row in matrix.rows)
    if not (is_vector and isinstance(other, Collection) and other.opening in ("(", "[")):
        return False
    return _ordered([c for row in matrix.rows for c in row], other.parts)


def _ordered(answers: Sequence[Reading], golds: Sequence[Reading]) -> bool | None:
    if len(answers) != len(golds):
        return False
    verdicts = [same(a, g) for a, g in zip(answers, golds, strict=True)]
    return False if False in verdicts else (None if None in verdicts else True)


def _matched(answers: Sequence[Reading], golds: Sequence[Reading]) -> bool | None:
    """Whether the parts can be paired; equality is transitive, so the first free partner is as good as any."""
    if len(answers) != len(golds):
        return False
    free = list(golds)
    for answer in answers:
        verdicts = [same(answer, gold) for gold in free]
        if True not in verdicts:
            return None if None in verdicts else False
        del free[verdicts.index(True)]
    return True


def _each_has_partner(parts: Sequence[Reading], others: Sequence[Reading]) -> bool | None:
    for part in parts:
        verdicts = [same(part, other) for other in others]
        if True not in verdicts:
            return None if None in verdicts else False
    return True


def _same_relation(answer: Reading, gold: Reading) -> bool | None:
    intervals = _interval(answer), _interval(gold)
    if intervals[0] and intervals[1]:
        return _same_interval(intervals[0], intervals[1])
    if not isinstance(gold, Relation):
        return _says_value(answer, gold) if isinstance(answer, Relation) else None
    if not isinstance(answer, Relation):
        return same(answer, gold.sides[-1]) if _is_equation(gold) and _is_name(gold.sides[0]) else False
    if _is_equation(answer) and _is_equation(gold):
        return _same_equation(answer, gold)
    if len(answer.sides) == len(gold.sides) == 2 and answer.signs == gold.signs:
        return _ordered(answer.sides, gold.sides)
    return False


def _says_value(answer: Relation, gold: Reading) -> bool | None:
    """`x = 5`, `a + 2z = 2z + a = 101` or `5 = x` against a value."""
    if not _is_equation(answer):
        return False
    last = answer.sides[-1]
    if _is_name(last) and not _is_name(answer.sides[0]) and not _is_name(gold):
        last = answer.sides[0]
    return same(last, gold)


def _same_equation(answer: Relation, gold: Relation) -> bool | None:
    if _is_name(answer.sides[0]) and _is_name(gold.sides[0]):
        named_alike = same(answer.sides[0], gold.sides[0])
        return same(answer.sides[-1], gold.sides[-1]) if named_alike else named_alike
    if len(answer.sides) != 2 or len(gold.sides) != 2:
        return _ordered(answer.sides, gold.sides)
    differences = [_difference(answer), _difference(gold)]
    if differences[0] is None or differences[1] is None:
        return None
    return _proportional(differences[0], differences[1])


def _difference(relation: Relation) -> Node | None:
    left, right = relation.sides
    if isinstance(left, Expression) and isinstance(right, Expression):
        return Node("add", (left.tree, Node("neg", (right.tree,))))
    return None


def _proportional(left: Node, right: Node) -> bool | None:
    """Whether `left` is a constant, nonzero multiple of `right`: then both vanish at the same points."""
    if symbols(left) != symbols(right) or not symbols(left):
        return False
    ratio = None
    for point in range(3):
        evaluator = Evaluator(point)
        try:
            a, b = evaluator.value(left), evaluator.value(right)
            if not a or not b:
                return None
            quotient = a / b if isinstance(a, Fraction) and isinstance(b, Fraction) else complex(a) / complex(b)
            if ratio is not None and not close(quotient, ratio):
                return False
        except (TooLarge, Undefined, OverflowError):
            return None
        ratio = quotient
    return True


def _is_equation(relation: Relation) -> bool:
    return all(sign in EQUAL_SIGNS for sign in relation.signs)


def _is_name(reading: Reading) -> bool:
    """A variable, `f(x)`, or words: what stands left of the sign when a value is given a name."""
    if isinstance(reading, Fixed):
        return reading.kind == "words"
    if not isinstance(reading, Expression) or reading.unit or reading.percent:
        return False
    tree = reading.tree
    called = tree.kind == "mul" and tree.args[0].name in ("f", "g", "h", "p", "q", "P", "F")
    return tree.kind == "symbol" or (called and all(arg.kind == "symbol" for arg in tree.args))


def _interval(reading: Reading) -> Interval | None:
    if isinstance(reading, Collection) and reading.opening in ("(", "[") and len(reading.parts) == 2:
        low, high = reading.parts
        if isinstance(low, Expression) and isinstance(high, Expression):
            return Interval(low.tree, high.tree, reading.opening == "[", reading.closing == "]")
    if not isinstance(reading, Relation) or not all(sign in ORDERS for sign in reading.signs):
        return None
    if len({ORDERS[sign] for sign in reading.signs}) > 1 or not all(isinstance(s, Expression) for s in reading.sides):
        return None
    sides = [side.tree for side in reading.sides if isinstance(side, Expression)]
    signs = list(reading.signs)
    if ORDERS[signs[0]] > 0:
        sides, signs = sides[::-1], signs[::-1]
    closed = [sign in ("\\le", "\\ge") for sign in signs]
    infinity = Node("infinity")
    if len(sides) == 3 and sides[1].kind == "symbol":
        return Interval(sides[0], sides[2], closed[0], closed[1])
    if len(sides) == 2 and sides[0].kind == "symbol" and not symbols(sides[1]):
        return Interval(Node("neg", (infinity,)), sides[1], False, closed[0])
    if len(sides) == 2 and sides[1].kind == "symbol" and not symbols(sides[0]):
        return Interval(sides[0], infinity, closed[0], False)
    return None


def _same_interval(answer: Interval, gold: Interval) -> bool | None:
    if (answer.low_closed, answer.high_closed) != (gold.low_closed, gold.high_closed):
        return False
    ends = same_tree(answer.low, gold.low), same_tree(answer.high, gold.high)
    return False if False in ends else (None if None in ends else True)
