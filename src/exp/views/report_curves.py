"""Training curves for the report: rows of metrics.jsonl sorted into panels, one per quantity and stage."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

MOST_POINTS = 1_000
"""Points of one curve that a report holds; longer curves are averaged over consecutive steps."""

_COMPONENT = "rewards/"
_NOT_MEASURED = {"step", "time", "stage", "epoch"}

Unit = Literal["", "share", "tokens"]
Curve = dict[int, float | None]


@dataclass(frozen=True)
class Panel:
    """One chart: its title, the metrics it draws, the unit of its values, and what it shows in a few words."""

    title: str
    metrics: tuple[str, ...]
    unit: Unit = ""
    meaning: str = ""


PANELS = (
    Panel("Correct", ("truth", "accuracy", "format"), "share", "truth: right answer in the right format"),
    Panel("Reward", ("reward", _COMPONENT), "", "mean over the step's completions, and its components"),
    Panel("Completion length", ("completions/mean_length",), "tokens", "mean"),
    Panel("Cut off", ("completions/clipped_ratio",), "share", "completions that reached the length limit"),
    Panel("Entropy", ("entropy",), "", "mean over tokens; near zero means the policy no longer explores"),
    Panel("No signal", ("frac_reward_zero_std",), "share", "groups whose completions all got the same reward"),
    Panel("Spread of rewards", ("reward_std",), "", "standard deviation"),
    Panel("KL divergence", ("kl",), "", "from the policy that GRPO started with"),
    Panel("Loss", ("loss",)),
    Panel("Gradient norm", ("grad_norm",), "", "before clipping"),
    Panel("Learning rate", ("learning_rate",)),
)


def curves(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Panels of every stage in the order of the stages; metrics without a panel of their own follow, marked `more`.

    A step that was logged twice, as after a resume, counts as it was logged last. Each series holds `[step, value]`
    pairs, value None where it was not finite.
    """
    stages: dict[str, dict[str, Curve]] = {}
    for row in rows:
        measured = stages.setdefault(row["stage"], {})
        for name, value in row.items():
            if name not in _NOT_MEASURED and isinstance(value, int | float) and not isinstance(value, bool):
                measured.setdefault(name, {})[row["step"]] = value if math.isfinite(value) else None
    return [panel for stage, measured in stages.items() for panel in _panels_of(stage, measured)]


def thin(curve: Curve) -> tuple[list[list[float | None]], int]:
    """At most `MOST_POINTS` pairs of step and value, and how many steps each is the mean of."""
    steps = sorted(curve)
    size = math.ceil(len(steps) / MOST_POINTS)
    if size <= 1:
        return [[step, curve[step]] for step in steps], 1
    thinned: list[list[float | None]] = []
    for start in range(0, len(steps), size):
        bucket = steps[start : start + size]
        finite = [value for step in bucket if (value := curve[step]) is not None]
        thinned.append([bucket[-1], fmean(finite) if finite else None])
    return thinned, size


def _panels_of(stage: str, measured: dict[str, Curve]) -> list[dict[str, Any]]:
    found = []
    for panel in PANELS:
        names = [name for metric in panel.metrics for name in measured if _belongs(name, metric)]
        if names:
            found.append(_chart(stage, panel, {name: measured[name] for name in names}, more=False))
    drawn = {series["metric"] for chart in found for series in chart["series"]}
    rest = sorted(set(measured) - drawn)
    return found + [_chart(stage, Panel(name, (name,)), {name: measured[name]}, more=True) for name in rest]


def _belongs(name: str, metric: str) -> bool:
    return name.startswith(metric) and not name.endswith("/std") if metric == _COMPONENT else name == metric


def _chart(stage: str, panel: Panel, found: dict[str, Curve], more: bool) -> dict[str, Any]:
    series, size = [], 1
    for name, curve in found.items():
        pairs, size = thin(curve)
        series.append({"metric": name, "name": name.removeprefix(_COMPONENT), "points": pairs})
    not_finite = sum(value is None for curve in found.values() for value in curve.values())
    notes = [panel.meaning] if panel.meaning else []
    if size > 1:
        notes.append(f"each point is the mean of {size} steps")
    if not_finite:
        notes.append(f"gaps where the value is not finite: {not_finite}")
    return {
        "stage": stage,
        "title": panel.title,
        "unit": panel.unit,
        "note": "; ".join(notes),
        "more": more,
        "series": series,
    }
