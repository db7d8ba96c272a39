"""Learning signal: groups that teach nothing, and a policy that no longer explores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exp.monitors.alert import Finding, sample
from exp.monitors.monitor import Group, Monitor, Row, Setting, mean, percent
from exp.monitors.windows import SURE, Lasting, Windows
from exp.statistics import wilson

EXCESS_NOTED, EXCESS_WARNED = 0.5, 0.75
TENFOLD = 10
EQUAL = 1e-9
"""Rewards this close are the same."""


@dataclass
class _Rewards:
    lowest: float
    highest: float
    values: list[float]


class NoSignal(Monitor):
    """Groups whose rewards are all equal have no advantage and teach nothing.

    f: share of such groups in the last window; p: share of completions paid more than half of what was ever paid;
    u = p^G + (1 − p)^G, what chance alone makes unavoidable at that pass rate (arXiv 2510.00977: at G = 2 it is at
    least 1/2, so a fixed threshold is wrong). Told, when it holds for a whole window of steps and p < 0.9,

    - if every completion so far earned the same;
    - if f > 0.9 with p < 1/2: too hard for any signal (Wilson's lower bound of f at 4 standard errors above 0.8);
    - by the excess (f − u)/(1 − u), the share of the possible signal lost because questions are too easy or too hard:
      a note above 0.5, a warning above 0.75, f by the same lower bound.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._windows: Windows[_Rewards] = Windows(setting.window)
        self._lasting = Lasting(setting.window)
        self._lowest, self._highest = float("inf"), float("-inf")

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """Too many groups without signal."""
        values = [[row["reward"] for row in group] for group in groups]
        self._windows.add(step, [_Rewards(min(v), max(v), v) for v in values])
        self._lowest = min(self._lowest, *(min(v) for v in values))
        self._highest = max(self._highest, *(max(v) for v in values))
        if not self._windows.ready:
            return []
        found = self._constant() or self._judge()
        samples = [sample(group[0]) for group, v in zip(groups, values, strict=True) if max(v) - min(v) <= EQUAL]
        if not self._lasting.holds(found is not None, step) or found is None:
            return []
        what, advice, warned, evidence = found
        return [Finding(what, advice, "warning" if warned else "note", evidence, samples[:3], degree=evidence["share"])]

    def _constant(self) -> tuple[str, str, bool, dict[str, float]] | None:
        if self._highest - self._lowest > EQUAL:
            return None
        return (
            f"every completion so far earned the same reward, {self._highest:g}: nothing can be learned",
            "See the reasons of the verdicts in completions/; if no answer is ever right, train SFT longer or take "
            "easier questions, else check the reward with `python -m exp audit`.",
            True,
            {"share": 1.0, "reward": self._highest},
        )

    def _judge(self) -> tuple[str, str, bool, dict[str, float]] | None:
        window = self._windows.last
        middle = (self._lowest + self._highest) / 2
        size = self.setting.generations
        rate = mean([float(value > middle) for group in window for value in group.values])
        silent = [group for group in window if group.highest - group.lowest <= EQUAL]
        share, least = len(silent) / len(window), wilson(len(silent), len(window), SURE)[0]
        unavoidable = rate**size + (1 - rate) ** size
        excess = (least - unavoidable) / (1 - unavoidable) if unavoidable < 1 else 0.0
        too_hard = share > 0.9 and least > 0.8 and rate < 0.5
        if rate >= 0.9 or not (too_hard or excess > EXCESS_NOTED):
            return None
        easy = sum(group.lowest > middle for group in silent)
        mostly = "easy" if 2 * easy > len(silent) else "hard"
        evidence = {
            "share": share,
            "unavoidable_share": unavoidable,
            "pass_rate": rate,
            "generations": float(size),
            "groups_all_low": float(len(silent) - easy),
            "groups_all_high": float(easy),
            "groups": float(len(window)),
        }
        other = "harder" if mostly == "easy" else "easier"
        return (
            f"{percent(share)} of groups give no signal; {percent(unavoidable)} would be unavoidable with {size} "
            f"generations at a pass rate of {percent(rate)}. Most of them are too {mostly}",
            f"Take {other} questions, or raise the number of generations (generations.num_generations={2 * size}).",
            too_hard or excess > EXCESS_WARNED,
            evidence,
        )


class Entropy(Monitor):
    """The policy's entropy falls to a tenth of its start, or rises tenfold.

    Medians over the first and the last window (at least 3 rows) of `entropy`; told from last <= first / 10 (floor of
    rldoctor) or last >= 10 first (the policy dissolves into noise), unless 90 % of completions are true by then: a
    solved task leaves nothing to explore.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._rows: list[tuple[int, float, float]] = []
        self._first: float | None = None

    def metrics(self, row: Row) -> list[Finding]:
        """Entropy that is nearly gone."""
        if "entropy" not in row:
            return []
        self._rows.append((row["step"], row["entropy"], row.get("truth", 0.0)))
        if len(self._rows) < 3 or self._rows[-1][0] - self._rows[0][0] + 1 < self.setting.window:
            return []
        now = _median([entropy for _, entropy, _ in self._rows])
        truth = mean([truth for _, _, truth in self._rows])
        self._first = now if self._first is None else self._first
        while len(self._rows) > 3 and self._rows[-1][0] - self._rows[1][0] + 1 >= self.setting.window:
            self._rows.pop(0)
        if self._first <= 0 or truth >= 0.9 or self._first / TENFOLD < now < self._first * TENFOLD:
            return []
        if now > self._first:
            return [self._finding(now, truth, "rose", "the policy dissolves into noise", "Lower grpo.learning_rate.")]
        advice = "Lower grpo.learning_rate, raise grpo.epsilon_high to 0.28 or grpo.temperature, or add grpo.beta=0.01."
        return [self._finding(now, truth, "fell", "the policy explores no more", advice)]

    def _finding(self, now: float, truth: float, moved: str, meaning: str, advice: str) -> Finding:
        first = self._first or 0.0
        return Finding(
            f"the entropy {moved} from {first:.3g} to {now:.3g}, {percent(truth)} of completions are true: {meaning}",
            advice,
            evidence={"entropy_at_start": first, "entropy": now, "truth": truth},
            about=moved,
            degree=max(now / first, first / max(now, 1e-12)),
        )


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
