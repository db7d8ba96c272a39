"""What loss and gradient say: numbers that are none, SFT that learns nothing, too little, or by heart."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import isfinite, isnan
from typing import ClassVar

from exp.monitors.alert import Finding
from exp.monitors.monitor import Monitor, Row, Setting, mean
from exp.monitors.windows import SURE, change_of_mean

BY_HEART = 0.1
BAND = (0.3, 0.7)
"""Where the loss of SFT on reasoning traces usually settles."""
FEWEST_ROWS = 8


class NotFinite(Monitor):
    """Loss or gradient norm is NaN or infinite.

    A loss, or a gradient that is NaN, is told at once. An infinite gradient now and then is how fp16's loss scaling
    finds its scale; it is told when 3 of the last 10 rows have one.
    """

    stages: ClassVar[tuple[str, ...]] = ("sft", "grpo")

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._infinite: deque[bool] = deque(maxlen=10)

    def metrics(self, row: Row) -> list[Finding]:
        """A number that is none."""
        loss, norm = row.get("loss", 0.0), row.get("grad_norm", 0.0)
        self._infinite.append(not isfinite(norm))
        name = "loss" if not isfinite(loss) else "grad_norm" if isnan(norm) or sum(self._infinite) >= 3 else ""
        if not name:
            return []
        return [
            Finding(
                f"{name} is {row[name]}",
                "Training is broken from here on: lower the learning rate, use model.dtype=bfloat16 where the GPU can, "
                "and see the last completions.",
                evidence={"loss": str(loss), "grad_norm": str(norm)},
                about=name,
            )
        ]


class SftLoss(Monitor):
    """Where the SFT loss goes.

    Over windows of a tenth of the stage, at least 8 rows. A warning if the last window lies half above the lowest
    window, at 4 standard errors (it diverges), or, at the end, if the loss is not below that of the first window. Notes
    at the end (90 % of the steps), on real data only: below 0.1 with rows seen more than once, learned by heart;
    above the band 0.3–0.7, not learned yet. The band is where SFT on reasoning traces usually settles.
    """

    stages: ClassVar[tuple[str, ...]] = ("sft",)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._losses: deque[tuple[int, float]] = deque()
        self._first: list[float] = []
        self._first_end = 0
        self._best: list[float] = []

    def metrics(self, row: Row) -> list[Finding]:
        """Divergence at any time, the rest once, near the end."""
        if not isfinite(row.get("loss", float("nan"))):
            return []
        self._losses.append((row["step"], row["loss"]))
        while len(self._losses) > FEWEST_ROWS and row["step"] - self._losses[1][0] + 1 >= self.setting.window:
            self._losses.popleft()
        if len(self._losses) < FEWEST_ROWS or row["step"] - self._losses[0][0] + 1 < self.setting.window:
            return []
        now = [loss for _, loss in self._losses]
        if not self._first:
            self._first, self._first_end = now, row["step"]
        if not self._best or mean(now) < mean(self._best):
            self._best = now
        if change_of_mean([1.5 * loss for loss in self._best], now, SURE).low > 0:
            what = f"the SFT loss rises: {mean(now):.3g}, after {mean(self._best):.3g}"
            return [_finding(what, "Lower sft.learning_rate, or add sft.warmup_steps.", now, self._first, "rises")]
        near_end = self.setting.total and row["step"] >= 0.9 * self.setting.total
        return self._at_the_end(now, row.get("epoch", 0.0)) if near_end else []

    def _at_the_end(self, now: Sequence[float], epoch: float) -> list[Finding]:
        level = mean(now)
        if self._losses[0][0] > self._first_end and change_of_mean(self._first, now, SURE).high >= 0:
            what = f"the SFT loss did not fall: {mean(self._first):.3g} at the start, {level:.3g} at the end"
            return [
                _finding(what, "Raise sft.learning_rate or sft.steps, and look at the rows.", now, self._first, "flat")
            ]
        if self.setting.embedded:
            return []
        if level < BY_HEART and epoch > 1:
            what = f"the SFT loss is {level:.3g} after {epoch:.1f} epochs: the rows may be learned by heart"
            advice = (
                f"Settling between {BAND[0]} and {BAND[1]} is usual: fewer epochs or steps, more rows, a lower rank."
            )
            return [_finding(what, advice, now, self._first, "by heart", note=True)]
        if level > BAND[1]:
            what = f"the SFT loss ends at {level:.3g}, above the usual {BAND[0]} to {BAND[1]}"
            advice = "More steps or a higher sft.learning_rate if it still falls; else see whether the rows are clean."
            return [_finding(what, advice, now, self._first, "above the band", note=True)]
        return []


def _finding(
    what: str, advice: str, now: Sequence[float], first: Sequence[float], about: str, note: bool = False
) -> Finding:
    evidence: dict[str, float | str] = {"loss": mean(now), "loss_at_start": mean(first)}
    return Finding(what, advice, "note" if note else "warning", evidence, about=about)
