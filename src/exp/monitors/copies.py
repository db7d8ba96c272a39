"""Texts that come again: the same completion for many questions, wrong copies inside groups, loops inside a text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from exp.monitors.alert import Finding, sample
from exp.monitors.habits import Habits
from exp.monitors.monitor import Group, Monitor, Row, Setting, is_true, mean, percent
from exp.monitors.windows import LIKELY, SURE, Windows, change_of_share, surely

NGRAM = 4
TAIL = 400
"""Words at the end of a text in which loops are looked for."""
FEWEST_WORDS = 24
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass
class _Texts:
    counts: Counter[int]
    """Completions by hash of their text."""
    size: int
    untrue: float
    copied: float | None
    """Share of the untrue completions that have a twin in the group; None without any."""


class Copies(Monitor):
    """The same text again and again.

    Across questions: one text makes up more than 20 % of all completions at 4 standard errors (mode share above .2)
    and does not fall (at 2).
    Inside groups: of the untrue completions, more than 80 % are copies of another in their group, 20 points more than
    at the start, both at 4 standard errors, while at least 20 % of completions are untrue. Right copies are what a good
    policy writes, so 1 − unique/G alone is no finding: short answers reach 70 % in a healthy run.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._windows: Windows[_Texts] = Windows(setting.window)

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """A text for many questions, and groups of wrong copies."""
        self._windows.add(step, [_read(group) for group in groups])
        if not self._windows.apart:
            return []
        return self._across(groups) + self._inside(groups)

    def _across(self, groups: Sequence[Group]) -> list[Finding]:
        window = self._windows.last
        total: Counter[int] = Counter()
        for group in window:
            total.update(group.counts)
        text, _ = total.most_common(1)[0]
        start, shares = ([g.counts[text] / g.size for g in side] for side in (self._windows.first, window))
        if surely(shares) <= 0.2 or change_of_share(start, shares, LIKELY).high < 0:
            return []
        questions = sum(share > 0 for share in shares)
        return [
            Finding(
                f"one and the same text is {percent(mean(shares))} of all completions, written for {questions} groups",
                "The policy no longer reads the question: lower grpo.learning_rate, and see what the reward pays it.",
                evidence={"share": mean(shares), "groups": float(questions)},
                samples=[sample(row) for group in groups for row in group if hash(row["completion"]) == text][:1],
                about="across questions",
                degree=mean(shares),
            )
        ]

    def _inside(self, groups: Sequence[Group]) -> list[Finding]:
        before, now = (
            [g.copied for g in side if g.copied is not None] for side in (self._windows.first, self._windows.last)
        )
        wrong = [group.untrue for group in self._windows.last]
        if not before or not now or surely(now) <= 0.8 or surely(wrong) <= 0.2:
            return []
        if change_of_share(before, now, SURE).low <= 0.2:
            return []
        return [
            Finding(
                f"{percent(mean(now))} of the untrue completions are copies inside their group, "
                f"{percent(mean(before))} at the start: the model repeats its mistakes instead of exploring",
                "Raise grpo.temperature or grpo.epsilon_high=0.28, or lower grpo.learning_rate.",
                evidence={
                    "copied_share": mean(now),
                    "copied_share_at_start": mean(before),
                    "untrue_share": mean(wrong),
                },
                samples=[sample(row) for group in groups for row in group if not is_true(row)][:2],
                about="inside groups",
                degree=mean(now),
            )
        ]


def _read(group: Group) -> _Texts:
    hashes = Counter(hash(row["completion"]) for row in group)
    untrue = [row for row in group if not is_true(row)]
    copied = sum(hashes[hash(row["completion"])] > 1 for row in untrue) / len(untrue) if untrue else None
    return _Texts(hashes, len(group), len(untrue) / len(group), copied)


class Repetition(Monitor):
    """Completions that repeat themselves.

    1 − distinct/all 4-grams over the last 400 words and signs; above 0.5 a completion loops (n-gram repetition
    of arXiv 2502.03373, warn at .3 and .5 of a mean). Told from 10 % of completions where looping spreads or the reward
    prefers it, from 25 % where it stays; rules in `Habits`.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._habits = Habits(setting.window, lambda row: {"looping"} if loops(row) else set(), common=0.1, stuck=0.25)

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """Looping that spreads, is preferred, or stays."""
        advice = (
            "Add the repetition penalty (+reward.components.repetition.weight=0.5) and see whether length is paid for."
        )
        return [habit.finding("repeating the same words", advice) for habit in self._habits.look(step, groups)]


def loops(row: Row) -> bool:
    """Whether the end of a completion repeats itself."""
    words = _WORD.findall(row["completion"][-20 * TAIL :])[-TAIL:]
    if len(words) < FEWEST_WORDS:
        return False
    ngrams = [tuple(words[i : i + NGRAM]) for i in range(len(words) - NGRAM + 1)]
    return len(set(ngrams)) < 0.5 * len(ngrams)
