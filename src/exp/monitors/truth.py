"""Reward without truth: what is paid goes up, and right answers in good form do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from exp.monitors.alert import Finding, sample
from exp.monitors.monitor import Group, Monitor, Row, Setting, is_true, mean, percent
from exp.monitors.windows import LIKELY, SURE, Change, Lasting, Windows, change_of_mean, change_of_share

RISE = 0.25
"""Smallest rise of the reward that counts, in standard deviations of the first window's completions."""
FORMAT_RISE = 0.05


@dataclass
class _Pay:
    reward: float
    untrue: float | None
    """Mean reward of the untrue completions; None without any."""
    square: float
    """Mean squared reward."""
    components: dict[str, float]
    true: float
    formed: float


class _Watch:
    """What both monitors follow: pay, truth and form of every group."""

    def __init__(self, steps: int) -> None:
        self.windows: Windows[_Pay] = Windows(steps)

    def add(self, step: int, groups: Sequence[Group]) -> None:
        self.windows.add(step, [_read(group) for group in groups])

    def truth(self) -> Change:
        """Change of the truth, at 2 standard errors."""
        first, last = self.windows.first, self.windows.last
        return change_of_share([g.true for g in first], [g.true for g in last], LIKELY)

    def reward(self, z: float) -> Change:
        first, last = self.windows.first, self.windows.last
        return change_of_mean([g.reward for g in first], [g.reward for g in last], z)


class RewardWithoutTruth(Monitor):
    """The training reward rises, the truth does not.

    Truth: right and well formed, whatever is paid for. Told if, against the first window and for a whole window of
    steps, the reward rises (at 4 standard errors, by at least 1/4 of the standard deviation at the start), untrue
    completions earn more than they did (at 4), and the truth does not rise (at 2). Where the reward is the truth, as
    `strict` is, it cannot speak. Source: reward-eval gap of rldoctor, with the strict verifier of the same rollouts in
    the place of an evaluation.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._watch = _Watch(setting.window)
        self._lasting = Lasting(setting.window)

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """Pay that rises without truth."""
        self._watch.add(step, groups)
        if not self._watch.windows.apart:
            return []
        first, last = self._watch.windows.first, self._watch.windows.last
        reward, truth = self._watch.reward(SURE), self._watch.truth()
        spread = sqrt(max(0.0, mean([g.square for g in first]) - mean([g.reward for g in first]) ** 2))
        untrue = [[g.untrue for g in side if g.untrue is not None] for side in (first, last)]
        unearned = all(untrue) and change_of_mean(untrue[0], untrue[1], SURE).low > 0
        rises = reward.low > 0 and reward.difference >= RISE * spread
        name, rise = self._risen(first, last)
        # A penalty avoided is no pay, however much it lifts the reward.
        paid_for = mean([self.setting.weights[name] * g.components[name] for g in last]) > 0
        if not self._lasting.holds(rises and unearned and paid_for and truth.low <= 0, step):
            return []
        falls = "falls" if truth.high < 0 else "does not rise"
        paid = sorted((row for group in groups for row in group if not is_true(row)), key=lambda row: -row["reward"])
        return [
            Finding(
                f"the reward rises from {reward.before:.2f} to {reward.after:.2f}, most by {name!r}, and the truth "
                f"{falls}: {percent(truth.before)} at the start, {percent(truth.after)} now",
                f"See in the samples what {name!r} pays for; let it pay right answers alone (reward=strict), or lower "
                f"reward.components.{name}.weight.",
                evidence={
                    "reward_at_start": reward.before,
                    "reward": reward.after,
                    "truth_at_start": truth.before,
                    "truth": truth.after,
                    "untrue_reward_at_start": mean(untrue[0]),
                    "untrue_reward": mean(untrue[1]),
                    "component": name,
                    "component_rise": rise,
                },
                samples=[sample(row) for row in paid[:3]],
                degree=reward.difference / spread if spread else 1.0,
            )
        ]

    def _risen(self, first: Sequence[_Pay], last: Sequence[_Pay]) -> tuple[str, float]:
        """The component whose weighted mean rose most, and by how much."""
        rises = {
            name: weight * (mean([g.components[name] for g in last]) - mean([g.components[name] for g in first]))
            for name, weight in self.setting.weights.items()
        }
        return max(rises.items(), key=lambda item: item[1])


class FormatWithoutTruth(Monitor):
    """The form is learned, the task is not: format rises, reward with it, and the strict truth stays flat.

    Told if, against the first window and for a whole window of steps, the share of well-formed completions rises by
    more than 5 points at 4 standard errors, the reward rises (at 2), and the truth neither rises (at 2) nor moves by a
    quarter of the format's rise (rldoctor: a gain is unearned below .25). Source: format .438 to 1.000 while accuracy
    fell from .228 to .025 under a format-only reward ("improvement depends on the instrument", 2026).
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._watch = _Watch(setting.window)
        self._lasting = Lasting(setting.window)

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """Form without truth."""
        self._watch.add(step, groups)
        if not self._watch.windows.apart:
            return []
        first, last = self._watch.windows.first, self._watch.windows.last
        form = change_of_share([g.formed for g in first], [g.formed for g in last], SURE)
        truth, reward = self._watch.truth(), self._watch.reward(LIKELY)
        flat = truth.low <= 0 and truth.difference < form.difference / 4
        if not self._lasting.holds(form.low > FORMAT_RISE and reward.low > 0 and flat, step):
            return []
        formed = [row for group in groups for row in group if row["well_formed"] and not is_true(row)]
        return [
            Finding(
                f"the format is kept by {percent(form.after)} of completions, {percent(form.before)} at the start, and "
                f"the truth stays flat: {percent(truth.before)} at the start, {percent(truth.after)} now",
                "Let the form gate the answer instead of paying for it (reward=strict), or lower its weight; if the "
                "questions are too hard for any to be right, take easier ones.",
                evidence={
                    "format_at_start": form.before,
                    "format": form.after,
                    "truth_at_start": truth.before,
                    "truth": truth.after,
                },
                samples=[sample(row) for row in formed[:3]],
                degree=form.difference,
            )
        ]


class TruthFalls(Monitor):
    """The model loses what it could do.

    Told if the truth falls below half of the first window's, by more than 10 points at 4 standard errors, for a whole
    window of steps, whatever the reward does: a learning rate too high, or a reward that pulls elsewhere.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._windows: Windows[float] = Windows(setting.window)
        self._lasting = Lasting(setting.window)

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """Truth that is lost."""
        self._windows.add(step, [mean([float(is_true(row)) for row in group]) for group in groups])
        if not self._windows.apart:
            return []
        truth = change_of_share(self._windows.first, self._windows.last, SURE)
        if not self._lasting.holds(truth.high < -0.1 and truth.after < truth.before / 2, step):
            return []
        return [
            Finding(
                f"the share of true completions fell from {percent(truth.before)} to {percent(truth.after)}",
                "Lower grpo.learning_rate; if the reward rises meanwhile, it pays for something else than the truth.",
                evidence={"truth_at_start": truth.before, "truth": truth.after},
                samples=[sample(row) for group in groups for row in group if not is_true(row)][:3],
            )
        ]


def _read(group: Group) -> _Pay:
    rewards = [row["reward"] for row in group]
    untrue = [row["reward"] for row in group if not is_true(row)]
    return _Pay(
        mean(rewards),
        mean(untrue) if untrue else None,
        mean([reward**2 for reward in rewards]),
        {name: mean([_value(row, name) for row in group]) for name in group[0]["components"]},
        mean([float(is_true(row)) for row in group]),
        mean([float(row["well_formed"]) for row in group]),
    )


def _value(row: Row, name: str) -> float:
    return float(row["components"][name] or 0.0)
