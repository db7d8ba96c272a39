"""Answers that dodge the question: several finals at once, or one answer for all questions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from exp.monitors.alert import Finding, sample
from exp.monitors.habits import Habits
from exp.monitors.monitor import Group, Monitor, Row, Setting, mean, percent
from exp.monitors.windows import SURE, Windows, change_of_share

HEDGE = "several different finals"
_SEPARATOR = re.compile(r"\s*(?:\bor\b|\boder\b|;|/\s|,\s)\s*", re.IGNORECASE)


class Hedging(Monitor):
    """Several different finals in one completion.

    Counted: two different answers in the format's marks, or one that joins more alternatives ("3 or 5", "A, B, C, D")
    than the gold has parts. Told from 2 % of completions where it spreads or the reward prefers it, from 25 % where it
    stays; rules in `Habits`. Source: "A or B or C" earned full marks by substring match in Visual-RFT; the thresholds
    are our own.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._habits = Habits(setting.window, lambda row: {HEDGE} if hedges(row) else set(), common=0.02, stuck=0.25)

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """Hedging that spreads, is preferred, or stays."""
        advice = "A verifier that accepts one of several finals is gamed: use the dataset's own kind and reward=strict."
        return [habit.finding("hedging between several finals", advice) for habit in self._habits.look(step, groups)]


def hedges(row: Row) -> bool:
    """Whether a completion offers several finals."""
    if any(" different answers" in problem for problem in row["problems"]):
        return True
    return row["extracted"] is not None and _parts(row["extracted"]) > _parts(row["gold"])


def _parts(answer: str) -> int:
    return len({part for part in _SEPARATOR.split(answer.strip()) if part})


@dataclass
class _Answers:
    gold: str
    shares: dict[str, float]
    earned: dict[str, float]


class AnswerPrior(Monitor):
    """One answer string earns most of the reward while the golds vary.

    With x the share of completions that answer a, g the share of questions whose gold is a, e the share of all positive
    reward they earn (a the best earning answer of the window): told if e > 1/2 and x − g > 0.2 at 4 standard errors.
    For a constant guess on questions of four options x − g is 3/4; for a good model it is 0 however skewed the golds.
    The thresholds are our own.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._windows: Windows[_Answers] = Windows(setting.window)

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """The best earning answer, if it is given far too often."""
        self._windows.add(step, [_read(group) for group in groups])
        window = self._windows.last
        earned: dict[str, float] = defaultdict(float)
        for group in window:
            for answer, reward in group.earned.items():
                earned[answer] += reward
        if not self._windows.ready or not earned:
            return []
        answer = max(earned, key=lambda a: earned[a])
        share = earned[answer] / sum(earned.values())
        golds = [float(group.gold == answer) for group in window]
        given = [group.shares.get(answer, 0.0) for group in window]
        if share <= 0.5 or change_of_share(golds, given, SURE).low <= 0.2:
            return []
        samples = [sample(row) for group in groups for row in group if _answer(row) == answer][:3]
        return [
            Finding(
                f"the answer {answer[:40]!r} earns {percent(share)} of the reward: {percent(mean(given))} of "
                f"completions give it, {percent(mean(golds))} of questions have it as their gold",
                "Balance the golds or shuffle the options, and let the reward pay right answers alone (reward=strict).",
                evidence={
                    "answer": answer[:200],
                    "share_of_reward": share,
                    "share_of_completions": mean(given),
                    "share_of_golds": mean(golds),
                },
                samples=samples,
                degree=share,
            )
        ]


def _read(group: Group) -> _Answers:
    answers = Counter(answer for row in group if (answer := _answer(row)))
    earned: dict[str, float] = defaultdict(float)
    for row in group:
        if (answer := _answer(row)) and row["reward"] > 0:
            earned[answer] += row["reward"]
    shares = {answer: count / len(group) for answer, count in answers.items()}
    return _Answers(_plain(group[0]["gold"]), shares, earned)


def _answer(row: Row) -> str:
    return _plain(row["extracted"] or "")


def _plain(answer: str) -> str:
    return "".join(answer.split()).casefold()
