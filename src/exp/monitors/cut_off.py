"""Completions that reach the limit, and why: each reason has another cure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exp.monitors.alert import Finding, sample
from exp.monitors.copies import loops
from exp.monitors.monitor import Group, Monitor, Row, Setting, mean, percent
from exp.monitors.windows import LIKELY, Windows, change_of_share, surely

SELDOM = 0.1
"""Share cut off in the first window below which the model did know how to stop."""


@dataclass
class _Cuts:
    share: float
    limit: int
    """Tokens of the cut-off completions; 0 where none is."""
    cut: int
    goes_on: int
    """Cut-off completions that go on after their answer."""
    looping: int
    needless: int
    """Cut-off completions that go on after their answer or loop."""
    ended: list[int]
    """Tokens of the others."""


class CutOff(Monitor):
    """Completions cut off at the limit, and why.

    Told if more than 90 % are cut off, or more than 15 % after two windows and not falling (at 2 standard errors);
    shares are exceeded at 4 standard errors (.05/.15, critical above .5: thresholds of rldoctor for clipped_ratio).
    The reason: if at least half of the cut completions go on after their answer or loop, "no longer stop" where less
    than 10 % were cut off in the first window, else "stop token never learned" (half go on) or "rambling" (half loop);
    "rambling" too if 90 % of those that end need less than 60 % of the limit; else "limit too low".
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._windows: Windows[_Cuts] = Windows(setting.window)

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """A high share of cut-off completions."""
        self._windows.add(step, [_read_cuts(group) for group in groups])
        if not self._windows.ready:
            return []
        last = self._windows.last
        shares = [group.share for group in last]
        least = surely(shares)
        change = change_of_share([group.share for group in self._windows.first], shares, LIKELY)
        if least <= 0.9 and not (least > 0.15 and self._windows.apart and change.high >= 0):
            return []
        reason, advice = diagnose(last, change.before)
        evidence: dict[str, float | str] = {"reason": reason, "share": mean(shares), "share_at_start": change.before}
        return [
            Finding(
                f"{percent(mean(shares))} of completions are cut off at {max(g.limit for g in last)} tokens: {reason}",
                advice,
                evidence=evidence | _numbers(last),
                samples=[sample(row) for group in groups for row in group if not row["ended"]][:3],
                degree=mean(shares),
            )
        ]


def diagnose(groups: Sequence[_Cuts], before: float) -> tuple[str, str]:
    """Why completions are cut off, and what to do; `before` is the share cut off in the first window."""
    cut = sum(group.cut for group in groups)
    ended = sorted(tokens for group in groups for tokens in group.ended)
    limit = max(group.limit for group in groups)
    if before < SELDOM and 2 * sum(group.needless for group in groups) >= cut:
        return (
            "they no longer stop, though they did at the start",
            "See in the samples what the reward pays for going on (reward=strict pays nothing for it).",
        )
    if 2 * sum(group.goes_on for group in groups) >= cut:
        return (
            "stop token never learned, they go on after their answer",
            "Check with `python -m exp data show` that the stop token carries loss, and train SFT longer (sft.steps).",
        )
    if 2 * sum(group.looping for group in groups) >= cut:
        return (
            "rambling, they repeat themselves",
            "A larger limit will not help: train SFT longer, or add +reward.components.repetition.weight=0.5.",
        )
    if len(ended) >= 20 and ended[int(0.9 * len(ended))] < 0.6 * limit:
        return (
            f"rambling, since 90 % of those that end need at most {ended[int(0.9 * len(ended))]} tokens",
            "A larger limit will hardly help: add a length penalty (+reward.components.soft_overlong), or "
            "grpo.mask_truncated_completions=true.",
        )
    return (
        "limit too low",
        "Give completions more room: a larger context (context.total, or the phase's context_total) or a smaller "
        "context.prompt_share.",
    )


def _read_cuts(group: Group) -> _Cuts:
    cut = [row for row in group if not row["ended"]]
    return _Cuts(
        len(cut) / len(group),
        max((row["tokens"] for row in cut), default=0),
        len(cut),
        sum(_goes_on(row) for row in cut),
        sum(loops(row) for row in cut),
        sum(_goes_on(row) or loops(row) for row in cut),
        [row["tokens"] for row in group if row["ended"]],
    )


def _goes_on(row: Row) -> bool:
    marks = ("text after the answer", "answer blocks", "different answers", "reasoning tags again")
    return any(mark in problem for problem in row["problems"] for mark in marks)


def _numbers(groups: Sequence[_Cuts]) -> dict[str, float]:
    cut = sum(group.cut for group in groups)
    ended = sorted(tokens for group in groups for tokens in group.ended)
    found = {
        "limit": float(max(group.limit for group in groups)),
        "goes_on_after_answer": sum(group.goes_on for group in groups) / cut,
        "looping": sum(group.looping for group in groups) / cut,
    }
    return found | ({"ended_tokens_q90": float(ended[int(0.9 * len(ended))])} if ended else {})
