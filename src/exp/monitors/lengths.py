"""Lengths that drift: growth that is paid for without truth, and collapse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from exp.monitors.alert import Finding, sample
from exp.monitors.monitor import Group, Monitor, Setting, is_true, mean, percent
from exp.monitors.windows import LIKELY, SURE, Lasting, Windows, change_of_mean, change_of_share

GROWTH = 1.5
COLLAPSE = 0.5
PAID_FOR = 0.3
"""Correlation of length and reward within groups from which length counts as paid for."""


@dataclass
class _Lengths:
    tokens: float
    true: float
    deviations: list[tuple[float, float]]
    """Tokens and reward of each completion, each minus the group's mean."""


class LengthDrift(Monitor):
    """Length that changes without the truth.

    Growth: the mean length is 1.5 times that of the first window (rldoctor: +50 %) and 1.25 times at 4 standard errors,
    while the truth does not rise (its change is not above 0 at 2 standard errors), for a whole window of steps. A
    warning where length and reward correlate within groups (r > 0.3), else a note. Collapse: half the first length,
    three quarters at 4 standard errors, while the truth falls (at 2 standard errors) or is below 10 %.
    Growth together with the truth is what reasoning models do, and no finding.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._windows: Windows[_Lengths] = Windows(setting.window)
        self._grows = Lasting(setting.window)

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """Growth or collapse."""
        self._windows.add(step, [_read_lengths(group) for group in groups])
        if not self._windows.apart:
            return []
        first, last = self._windows.first, self._windows.last
        length = change_of_mean([g.tokens for g in first], [g.tokens for g in last], SURE)
        truth = change_of_share([g.true for g in first], [g.true for g in last], LIKELY)
        r = correlation([pair for group in last for pair in group.deviations])
        evidence: dict[str, float | str] = {
            "tokens_at_start": length.before,
            "tokens": length.after,
            "truth_at_start": truth.before,
            "truth": truth.after,
            "correlation_of_length_and_reward": r,
        }
        moved = f"{length.before:.0f} to {length.after:.0f} tokens, "
        moved += f"truth from {percent(truth.before)} to {percent(truth.after)}"
        samples = [sample(row) for row in sorted((r for g in groups for r in g), key=lambda row: -row["reward"])[:2]]
        grown = length.after >= GROWTH * length.before and length.low > (GROWTH - 1) / 2 * length.before
        if self._grows.holds(grown and truth.low <= 0, step):
            paid = r > PAID_FOR
            why = (
                f"and the reward pays for length (correlation {r:.2f} within groups)" if paid else "without more truth"
            )
            return [
                Finding(
                    f"completions grow {why}: {moved}",
                    "Pay for right answers alone (reward=strict) or add a length penalty "
                    "(+reward.components.soft_overlong with max_tokens and buffer).",
                    "warning" if paid else "note",
                    evidence,
                    samples,
                    "growth",
                    length.after / length.before,
                )
            ]
        shrunk = length.after <= COLLAPSE * length.before and length.high < (COLLAPSE - 1) / 2 * length.before
        if shrunk and (truth.high < 0 or truth.after < 0.1):
            return [
                Finding(
                    f"completions collapse: {moved}",
                    "Lower the weight of any length penalty and grpo.learning_rate; the reasoning is being dropped.",
                    "warning",
                    evidence,
                    samples,
                    "collapse",
                    length.before / length.after,
                )
            ]
        return []


def correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Pearson's r of pairs whose means are 0; 0 where either does not vary."""
    xx, yy, xy = (sum(a * b for a, b in zip(p, q, strict=True)) for p, q in _products(pairs))
    return xy / sqrt(xx * yy) if xx > 0 and yy > 0 else 0.0


def _products(pairs: Sequence[tuple[float, float]]) -> list[tuple[list[float], list[float]]]:
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    return [(x, x), (y, y), (x, y)]


def _read_lengths(group: Group) -> _Lengths:
    tokens, reward = mean([row["tokens"] for row in group]), mean([row["reward"] for row in group])
    return _Lengths(
        tokens,
        mean([float(is_true(row)) for row in group]),
        [(row["tokens"] - tokens, row["reward"] - reward) for row in group],
    )
