"""Trouble with the verifier: answers it cannot read, does not judge in time, fails on, or judges unlike the truth."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

from exp.monitors.alert import SHOWN, Finding, sample
from exp.monitors.monitor import Group, Monitor, Row, Setting, mean, percent
from exp.monitors.windows import LIKELY, Windows, change_of_share, surely
from exp.rewards.verdict import Verdict
from exp.rewards.verify import FAILED

LIMITS = {"failed": 0.0, "timeout": 0.02, "unparseable": 0.1, "disagreement": 0.03}
FAILURES = 3
_WORDS = {
    "failed": "made the verifier fail",
    "timeout": "ran into its time limit",
    "unparseable": "are unparseable",
    "disagreement": "are judged otherwise by the dataset's own verifier",
}
_ADVICE = {
    "failed": "This is a defect of the verifier: report the samples, and choose another kind with reward.verifier.",
    "timeout": "Each costs up to 2 s and earns 0; see the samples, and choose a cheaper kind with reward.verifier.",
    "disagreement": "reward.verifier and the dataset's own verifier differ: the samples show which of them is wrong.",
    "unparseable": "See the samples: if they are good answers, their kind is wrong (reward.verifier, or the dataset).",
}


class VerifierTrouble(Monitor):
    """Verdicts that say nothing of the answer.

    Of the completions that hold an answer: more than 2 % timeouts, or more than 10 % unparseable and not falling (at 2
    standard errors, after two windows), or more than 3 % judged unlike the truth, all exceeded at 4 standard errors; or
    3 on which the verifier failed at all.
    (Any cause above .05 is the usual advice; a model that starts with prose for answers exceeds it in health.)
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._windows: Windows[dict[str, float]] = Windows(setting.window)
        self._counts: Counter[str] = Counter()
        self._samples: dict[str, deque[dict[str, Any]]] = {trouble: deque(maxlen=SHOWN) for trouble in LIMITS}

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """Failures at once, the other troubles once they are common."""
        for group in groups:
            for row in group:
                if trouble := trouble_of(row):
                    self._counts[trouble] += 1
                    self._samples[trouble].append(sample(row) | {"reason": row["reason"][:200]})
        self._windows.add(step, [shares for group in groups if (shares := _read(group)) is not None])
        return [finding for trouble in LIMITS if (finding := self._judge(trouble))]

    def _judge(self, trouble: str) -> Finding | None:
        now, before = ([group.get(trouble, 0.0) for group in w] for w in (self._windows.last, self._windows.first))
        if trouble == "failed":
            told = self._counts[trouble] >= FAILURES
        else:
            told = self._windows.ready and surely(now) > LIMITS[trouble]
        if trouble == "unparseable":
            told = told and self._windows.apart and change_of_share(before, now, LIKELY).high >= 0
        if not told:
            return None
        word = _WORDS[trouble]
        return Finding(
            f"{percent(mean(now))} of answers {word} ({self._counts[trouble]} so far)",
            _ADVICE[trouble],
            evidence={"share": mean(now), "count": float(self._counts[trouble])},
            samples=list(self._samples[trouble]),
            about=trouble,
            degree=max(mean(now), 1e-4),
        )


def trouble_of(row: Row) -> str:
    """`failed`, `timeout`, `unparseable`, `disagreement`, or "" where the verdict is about the answer and shared."""
    if row["reason"].startswith(FAILED):
        return "failed"
    if row["verdict"] in LIMITS:
        return str(row["verdict"])
    right = row["verdict"] == Verdict.RIGHT and row["well_formed"]
    return "disagreement" if right != bool(row["components"]["truth"]) else ""


def _read(group: Group) -> dict[str, float] | None:
    """Shares among the completions that hold an answer; None if none does."""
    troubles = [trouble_of(row) for row in group if row["extracted"] is not None]
    return {name: count / len(troubles) for name, count in Counter(troubles).items()} if troubles else None
