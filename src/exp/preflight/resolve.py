"""From a typed point to the base weights and the steps: everything that must be found before anything runs."""

from __future__ import annotations

from pathlib import Path

from exp.config.point import Point
from exp.data.hub import require_datasets
from exp.data.prepare import open_all
from exp.errors import Problem, Refused
from exp.models.source import Source, find_base, require_available
from exp.stages.plan import Step, plan
from exp.stages.start import find_start


def resolve(point: Point) -> tuple[Source, list[Step]]:
    """Find the base weights and plan the steps. Raises `Refused` where something does not exist."""
    base = find_base(point.model)
    require_reachable(point, base)
    return base, plan_from(point, base)


def require_reachable(point: Point, base: Source) -> None:
    """Raise `Refused` with everything that must come from the hub and cannot, the model and the datasets."""
    uses = tuple(use for use, wanted in (("sft", point.sft.enabled), ("rl", point.grpo.enabled)) if wanted)
    problems: list[Problem] = []
    for check in (lambda: require_available(base), lambda: require_datasets(open_all(point.dataset, uses).values())):
        try:
            check()
        except Refused as refused:  # collected, so that the user sees all of them at once
            problems += refused.problems
    if problems:
        raise Refused(*dict.fromkeys(problems))


def plan_from(point: Point, base: Source) -> list[Step]:
    """Plan the steps on a located base. Raises `Refused` where a file or the start of GRPO is missing."""
    named = point.grpo.start_from if point.grpo.enabled else None
    start = find_start(Path(point.outputs), named) if named else None
    return plan(point, base.identity, start)
