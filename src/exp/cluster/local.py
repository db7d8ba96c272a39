"""A sweep on this machine: all points are checked, then run one after another; the store makes shared stages once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from omegaconf import OmegaConf

from exp.cluster.child import run_child
from exp.config.compose import typed_point
from exp.errors import Problem, Refused
from exp.messages import print_refusal
from exp.preflight.contracts import require_contracts
from exp.preflight.resolve import resolve
from exp.stages.plan import Step, point_id


@dataclass(frozen=True)
class SweepPoint:
    """A checked point: how it was typed, what it will do, and who it is."""

    overrides: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def identity(self) -> str:
        """Identity of the point; equal points are one point."""
        return point_id(list(self.steps))


def run_sweep(composed: Sequence[Any]) -> int:
    """Check and run composed configurations (each with its `hydra` node); returns the exit status.

    0 all points done; 2 nothing was run, all problems of all points are listed; else the first failing point's status,
    after the other points have run. Ctrl-C stops the current point cleanly and starts no other.
    """
    try:
        points = check_points(composed)
    except Refused as refused:
        print_refusal(refused)
        return 2
    distinct = list({point.identity: point for point in points}.values())
    steps = [step.identity for point in distinct for step in point.steps]
    shared = len(steps) - len(set(steps))
    print(f"{len(distinct)} points, {len(set(steps))} steps, {shared} of {len(steps)} shared with an earlier point")
    statuses = {}
    for number, point in enumerate(distinct, 1):
        words = " ".join(override.lstrip("+") for override in point.overrides)
        print(f"\n[{number}/{len(distinct)}] {words}", flush=True)
        statuses[words] = run_child([sys.executable, "-m", "exp.train", *point.overrides])
        if statuses[words] in (75, 130):
            print("The sweep stopped here; the same command continues it.")
            return statuses[words]
    failed = {words: status for words, status in statuses.items() if status}
    for words, status in failed.items():
        print(f"failed with status {status}: {words}", file=sys.stderr)
    return next(iter(failed.values()), 0)


def check_points(composed: Sequence[Any]) -> list[SweepPoint]:
    """Type and check every point. Raises `Refused` with the problems of all of them, each named by its overrides."""
    points, problems = [], []
    for config in composed:
        typed = list(config.hydra.overrides.task)
        content = OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"])
        try:
            point = typed_point(content, config.hydra.runtime.choices, typed)
            require_contracts(point)
            points.append(SweepPoint(tuple(typed), tuple(resolve(point)[1])))
        except Refused as refused:  # collected, so that the user sees the problems of all points at once
            problems += [replace(p, where=f"{p.where} [{' '.join(typed)}]") for p in refused.problems]
    if problems:
        raise Refused(*_distinct(problems))
    return points


def _distinct(problems: list[Problem]) -> list[Problem]:
    return list(dict.fromkeys(problems))
