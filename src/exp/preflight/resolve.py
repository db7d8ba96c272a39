"""From a typed point to the base weights and the steps: everything that must be found before anything runs."""

from __future__ import annotations

from pathlib import Path

from exp.config.point import Point
from exp.models.source import Source, find_base, require_available
from exp.stages.plan import Step, plan
from exp.stages.start import find_start


def resolve(point: Point) -> tuple[Source, list[Step]]:
    """Find the base weights and plan the steps. Raises `Refused` where something does not exist."""
    base = find_base(point.model)
    require_available(base)
    return base, plan_from(point, base)


def plan_from(point: Point, base: Source) -> list[Step]:
    """Plan the steps on a located base. Raises `Refused` where a file or the start of GRPO is missing."""
    named = point.grpo.start_from if point.grpo.enabled else None
    start = find_start(Path(point.outputs), named) if named else None
    return plan(point, base.identity, start)
