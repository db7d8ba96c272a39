"""The base of every monitor, and the facts of the stage it watches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from exp.config.contracts import Format
from exp.config.point import Point
from exp.monitors.alert import Finding

Row = Mapping[str, Any]
Group = Sequence[Row]
"""Completions of one question, sampled together."""

UNKNOWN_STEPS = 100


@dataclass(frozen=True)
class Setting:
    """What the monitors know of the stage they watch."""

    format: Format
    generations: int
    """Completions per question (G)."""
    total: int
    """Optimiser steps of the stage; 0 if unknown."""
    weights: Mapping[str, float]
    """The reward's components with their weights."""
    embedded: bool = False
    """The model is the embedded one on made-up data, whose loss says nothing about real text."""

    @property
    def window(self) -> int:
        """Steps over which numbers are averaged: a tenth of the stage."""
        return max(1, -(-(self.total or UNKNOWN_STEPS) // 10))


def setting_of(point: Point, total: int) -> Setting:
    """The setting of a stage of `total` steps."""
    embedded = (point.model.path or "").startswith("embedded:")
    weights = {name: component.weight for name, component in point.reward.components.items()}
    return Setting(point.format, point.generations.num_generations, total, weights, embedded)


class Monitor:
    """Accumulates what it is fed, one stage long, and returns what it finds; it touches nothing else.

    Findings are returned at every step at which they hold. That they are told once is not a monitor's business.
    """

    stages: ClassVar[tuple[str, ...]] = ("grpo",)
    """Kinds of stage it watches."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def metrics(self, row: Row) -> list[Finding]:
        """A row of metrics."""
        return []

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """The completions of one generated batch."""
        return []


def groups_of(rows: Sequence[Row], generations: int) -> Sequence[Group]:
    """The groups of a batch: neighbours with the same question, at most G of them."""
    groups: list[list[Row]] = []
    for row in rows:
        if groups and groups[-1][0]["id"] == row["id"] and len(groups[-1]) < generations:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def is_true(row: Row) -> bool:
    """Whether the completion is right and well formed: the strict truth, whatever the reward pays for."""
    return row["verdict"] == "right" and bool(row["well_formed"])


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value."""
    return sum(values) / len(values)


def percent(share: float) -> str:
    """0.1234 as `12 %`."""
    return f"{100 * share:.0f} %"
