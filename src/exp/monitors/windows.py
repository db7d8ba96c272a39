"""The first and the last stretch of a stage side by side, and intervals that say whether they really differ.

The unit is the group, since completions of one question resemble each other. Monitors look after every step, so an
alert needs SURE (4 standard errors: about 1 false alarm in 30,000 looks), and only side conditions settle for LIKELY.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Generic, TypeVar

from exp.monitors.monitor import mean
from exp.statistics import clustered_interval

T = TypeVar("T")

GROUPS = 48
"""Groups a window holds at least."""
SURE = 4.0
LIKELY = 2.0


class Windows(Generic[T]):
    """One value per group, for the first `steps` steps and for the last; both hold at least GROUPS groups."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._first: list[tuple[int, T]] = []
        self._last: deque[tuple[int, list[T]]] = deque()
        self._first_done = False

    def add(self, step: int, values: Sequence[T]) -> None:
        """Add the groups of one step."""
        if not self._first_done:
            self._first += [(step, value) for value in values]
            self._first_done = len(self._first) >= GROUPS and step - self._first[0][0] + 1 >= self._steps
        self._last.append((step, list(values)))
        while self._holds(self._last[0]):
            self._last.popleft()

    @property
    def first(self) -> list[T]:
        """The groups of the first window."""
        return [value for _, value in self._first]

    @property
    def last(self) -> list[T]:
        """The groups of the last window."""
        return [value for _, values in self._last for value in values]

    @property
    def ready(self) -> bool:
        """Whether a whole window has been seen."""
        return self._first_done

    @property
    def apart(self) -> bool:
        """Whether the two windows are whole and share no step."""
        return self._first_done and self._last[0][0] > self._first[-1][0]

    def _holds(self, oldest: tuple[int, list[T]]) -> bool:
        """Whether the last window stays whole without its oldest step."""
        if len(self._last) < 2:
            return False
        groups = sum(len(values) for _, values in self._last) - len(oldest[1])
        return groups >= GROUPS and self._last[-1][0] - self._last[1][0] + 1 >= self._steps


class Lasting:
    """Whether a condition has held for a number of steps without a break: transients are no findings."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._since: int | None = None

    def holds(self, condition: bool, step: int) -> bool:
        """Tell the condition at this step."""
        if not condition:
            self._since = None
            return False
        if self._since is None:
            self._since = step
        return step - self._since >= self._steps


@dataclass(frozen=True)
class Change:
    """Two means and the interval of their difference, after minus before."""

    before: float
    after: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """After minus before."""
        return self.after - self.before


def change_of_mean(before: Sequence[float], after: Sequence[float], z: float) -> Change:
    """Welch's interval of a difference of two means, normal approximation (Welch 1947)."""
    middle = mean(after) - mean(before)
    half = z * sqrt(_square_error(before) + _square_error(after))
    return Change(mean(before), mean(after), middle - half, middle + half)


def change_of_share(before: Sequence[float], after: Sequence[float], z: float) -> Change:
    """Interval of a difference of two shares after adding a success and a failure to each (Agresti & Caffo 2000).

    Values are shares within groups. The added ones keep windows without any variation from looking certain.
    """
    raised = change_of_mean([0.0, 1.0, *before], [0.0, 1.0, *after], z)
    return Change(mean(before), mean(after), raised.low, raised.high)


def surely(shares: Sequence[float]) -> float:
    """What a mean share surely exceeds; `shares` are those within groups."""
    return clustered_interval(shares, SURE)[0]


def _square_error(values: Sequence[float]) -> float:
    n, middle = len(values), mean(values)
    return sum((value - middle) ** 2 for value in values) / (n - 1) / n if n > 1 else 0.0
