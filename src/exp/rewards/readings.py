"""What an answer can be read as."""

from __future__ import annotations

from dataclasses import dataclass

from exp.rewards.tree import Node
from exp.rewards.units import Unit


@dataclass(frozen=True)
class Expression:
    """An expression; `percent` if a percent sign follows it (then `tree` is the number before the sign)."""

    tree: Node
    unit: Unit | None = None
    percent: bool = False


@dataclass(frozen=True)
class Collection:
    """Parts in brackets or commas. `opening` is `(`, `[`, `{`, or "" for a bare list; `closing` likewise."""

    opening: str
    closing: str
    parts: tuple[Reading, ...]


@dataclass(frozen=True)
class Union:
    """Intervals or sets joined by a cup sign, or inequalities joined by `or`."""

    parts: tuple[Reading, ...]


@dataclass(frozen=True)
class Relation:
    """Sides joined by the signs between them, such as `0 < x < 1` or `y = 2x`."""

    sides: tuple[Reading, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True)
class Matrix:
    """Rows of a matrix or column vector."""

    rows: tuple[tuple[Reading, ...], ...]


@dataclass(frozen=True)
class Fixed:
    """What is compared by its spelling. `kind`: words, ratio (or time of day), numeral (in a base), series, opaque."""

    kind: str
    text: str


Reading = Expression | Collection | Union | Relation | Matrix | Fixed
