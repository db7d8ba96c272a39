"""The tree that an expression is read into, and what can be asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Node:
    """A tree: `kind` is number, symbol, add, mul, div, pow, root, neg, pi, e, i, infinity, or a function's name."""

    kind: str
    args: tuple[Node, ...] = ()
    value: Fraction | None = None  # of a number
    name: str = ""  # of a symbol
    decimal: bool = False  # a number written with a decimal point, so possibly rounded


def integer(value: int) -> Node:
    """A whole number."""
    return Node("number", value=Fraction(value))


def symbols(node: Node) -> frozenset[str]:
    """The free variables of a tree."""
    found = {node.name} if node.kind == "symbol" else set()
    return frozenset(found.union(*(symbols(arg) for arg in node.args)))


def has_decimal(node: Node) -> bool:
    """Whether a number of the tree is written with a decimal point."""
    return node.decimal or any(has_decimal(arg) for arg in node.args)


def factors(node: Node) -> list[Node]:
    """The factors of a product, signs left out; of anything else, itself."""
    if node.kind in ("mul", "neg"):
        return [factor for arg in node.args for factor in factors(arg)]
    return [node]


def is_worked_out(node: Node) -> bool:
    """Whether no sum or product of plain numbers is left, as in `20 + 15`; mixed numbers and powers of ten may."""
    if node.kind in ("add", "mul") and all(factor.kind == "number" for arg in node.args for factor in _unsigned(arg)):
        return False
    return all(is_worked_out(arg) for arg in node.args)


def _unsigned(node: Node) -> list[Node]:
    return _unsigned(node.args[0]) if node.kind == "neg" else [node]
