"""Habits of completions: how common each is, whether it spreads, whether the reward prefers it, whether it stays.

Shared by the monitors of form, hedging and repetition, which only differ in what counts as a habit.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from exp.monitors.alert import SHOWN, Finding, sample
from exp.monitors.monitor import Group, Row, mean, percent
from exp.monitors.windows import LIKELY, SURE, Lasting, Windows, change_of_mean, change_of_share, surely

PREFERRED_GROUPS = 12
"""Groups holding completions with and without a habit that are needed to say which the reward prefers."""

How = Literal["is preferred by the reward", "spreads", "stays"]


@dataclass(frozen=True)
class Habit:
    """A habit that is common enough to be told."""

    name: str
    how: How
    before: float
    """Share of completions in the first window."""
    share: float
    """Share of completions in the last window."""
    advantage: float | None
    """Mean reward with the habit minus without, within groups that hold both; None where too few do."""
    samples: list[dict[str, Any]]

    def finding(self, what: str, advice: str) -> Finding:
        """The finding, with the habit's numbers."""
        evidence: dict[str, float | str] = {"habit": self.name, "share_at_start": self.before, "share": self.share}
        if self.advantage is not None:
            evidence["reward_difference_within_groups"] = self.advantage
        shares = f"{percent(self.share)} of completions, {percent(self.before)} at the start"
        return Finding(
            f"{what} {self.how} ({shares})",
            advice,
            evidence=evidence,
            samples=self.samples,
            about=self.name,
            degree=self.share,
        )


@dataclass
class _Group:
    shares: dict[str, float]
    advantages: dict[str, float]


@dataclass
class Habits:
    """Watches the habits that `names` finds in a completion.

    With s the share of completions in the last window, s0 in the first, d the reward with the habit minus without,
    averaged over groups that hold both, and all bounds at 4 standard errors unless said otherwise, a habit

    - is preferred by the reward: s > `common` and d > 0, so that every update strengthens it;
    - spreads: s − s0 > `common`;
    - stays: s > `stuck`, and it does not fall (s − s0 not below 0 at 2 standard errors), for two windows of steps: a
      model that is still learning the form has it for a while.
    """

    steps: int
    names: Callable[[Row], Collection[str]]
    common: float
    stuck: float
    _windows: Windows[_Group] = field(init=False)
    _stays: dict[str, Lasting] = field(init=False, default_factory=dict)
    _samples: dict[str, deque[dict[str, Any]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._windows = Windows(self.steps)

    def look(self, step: int, groups: Sequence[Group]) -> list[Habit]:
        """Add one step's groups; the habits that must be told now."""
        self._windows.add(step, [self._read(group) for group in groups])
        if not self._windows.ready:
            return []
        names = {name for group in self._windows.last for name in group.shares}
        return [habit for name in sorted(names) if (habit := self._judge(name, step))]

    def _read(self, group: Group) -> _Group:
        found = [set(self.names(row)) for row in group]
        counts = Counter(name for names in found for name in names)
        advantages = {}
        for name, count in counts.items():
            shown = self._samples.setdefault(name, deque(maxlen=SHOWN))
            shown.append(sample(next(row for row, names in zip(group, found, strict=True) if name in names)))
            if count < len(group):
                having = [row["reward"] for row, names in zip(group, found, strict=True) if name in names]
                others = [row["reward"] for row, names in zip(group, found, strict=True) if name not in names]
                advantages[name] = mean(having) - mean(others)
        return _Group({name: count / len(group) for name, count in counts.items()}, advantages)

    def _judge(self, name: str, step: int) -> Habit | None:
        start, now = ([g.shares.get(name, 0.0) for g in side] for side in (self._windows.first, self._windows.last))
        advantages = [group.advantages[name] for group in self._windows.last if name in group.advantages]
        advantage = mean(advantages) if len(advantages) >= PREFERRED_GROUPS else None
        least = surely(now)
        how: How | None = None
        if advantage is not None and least > self.common and change_of_mean([0.0], advantages, SURE).low > 0:
            how = "is preferred by the reward"
        elif self._windows.apart and change_of_share(start, now, SURE).low > self.common:
            how = "spreads"
        falls = change_of_share(start, now, LIKELY).high < 0
        stuck = self._windows.apart and least > self.stuck and not falls
        if self._stays.setdefault(name, Lasting(2 * self.steps)).holds(stuck, step) and how is None:
            how = "stays"
        return Habit(name, how, mean(start), mean(now), advantage, list(self._samples[name])) if how else None
