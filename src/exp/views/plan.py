"""`exp plan`: everything that is known about a run without running it, for people and as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from exp.config.compose import compose_point
from exp.config.point import Point
from exp.contract.batch import split_batch
from exp.contract.context import lengths
from exp.errors import Problem, Refused
from exp.models.source import find_base
from exp.preflight.contracts import contract_problems
from exp.preflight.resolve import plan_from, require_reachable
from exp.stages.plan import Step, phase_context, phases, point_id

USAGE = """usage: python -m exp plan [--json] [overrides]

Shows lengths, batches, steps and problems; runs nothing."""


def main(words: Sequence[str]) -> int:
    """Print the plan; returns 1 if a problem would keep the run from starting, else 0."""
    if any(word in ("-h", "--help") for word in words):
        print(USAGE)
        return 0
    as_json = "--json" in words
    try:
        point = compose_point([word for word in words if word != "--json"])
        content = describe(point)
    except Refused as refused:
        if not as_json:
            raise
        content = {"problems": [_problem(p) for p in refused.problems], "warnings": []}
    if as_json:
        print(json.dumps(content, indent=1))
    else:
        _show(content)
    return 1 if content["problems"] else 0


def describe(point: Point) -> dict[str, Any]:
    """The resolved contracts: problems, lengths, batches, phases and steps with their identities."""
    problems = contract_problems(point)
    steps: list[Step] = []
    warnings: list[Problem] = []
    try:
        base = find_base(point.model)
        steps = plan_from(point, base) if not problems else []
        require_reachable(point, base)
    except Refused as refused:
        # What is not on this machine keeps nobody from planning; a missing file or start does.
        (warnings if steps else problems).extend(refused.problems)
    content: dict[str, Any] = {
        "problems": [_problem(p) for p in problems],
        "warnings": [_problem(p) for p in warnings],
    }
    if problems and any(p.check in ("batch", "steps") for p in problems):
        return content | {"lengths": lengths(point.context).as_dict()}
    return content | {
        "point": point_id(steps) if steps else None,
        "lengths": lengths(point.context).as_dict(),
        "batch": _batches(point),
        "phases": _phases(point) if point.grpo.enabled else [],
        "steps": [{"name": step.name, "id": step.identity, "inputs": dict(step.inputs)} for step in steps],
        "config": point.model_dump(mode="json"),
    }


def _batches(point: Point) -> dict[str, Any]:
    found = {}
    if point.sft.enabled:
        found["sft"] = split_batch(point.sft.batch_size, point.sft.micro_batch_size, point.world_size).as_dict()
    if point.grpo.enabled:
        group, size = point.grpo, point.generations.num_generations
        found["grpo"] = split_batch(group.batch_size, group.micro_batch_size, point.world_size, size).as_dict()
    return found


def _phases(point: Point) -> list[dict[str, Any]]:
    return [phase.model_dump() | {"lengths": lengths(phase_context(point, phase)).as_dict()} for phase in phases(point)]


def _problem(problem: Problem) -> dict[str, str]:
    return {"check": problem.check, "what": problem.what, "where": problem.where, "fix": problem.fix}


def _show(content: dict[str, Any]) -> None:
    if not sys.stdout.isatty():
        for name in ("lengths", "batch"):
            for key, value in content.get(name, {}).items():
                print(f"{name}\t{key}\t{json.dumps(value)}")
        for number, phase in enumerate(content.get("phases", []), 1):
            print(f"phase\t{number}\t{json.dumps(phase)}")
        for step in content.get("steps", []):
            print(f"step\t{step['name']}\t{step['id']}")
    else:
        _draw(content, Console())
    for kind in ("warnings", "problems"):
        for found in content[kind]:
            print(f"{kind[:-1]}: {Problem(found['what'], found['where'], found['fix'])}", file=sys.stderr)


def _draw(content: dict[str, Any], console: Console) -> None:
    text = "{total} tokens = {prompt} for the prompt + {completion} for the completion"
    console.print("[bold]lengths[/]  " + text.format(**content["lengths"]))
    for stage, batch in content.get("batch", {}).items():
        text = "{effective} = {micro} × {accumulation} accumulated × {world_size} devices"
        groups = ", {prompts} prompts per step" if stage == "grpo" else ""
        console.print(f"[bold]{stage} batch[/]  " + (text + groups).format(**batch))
    for number, phase in enumerate(content.get("phases", []), 1):
        text = "{steps} steps, {context_total} tokens, rate {learning_rate:g}"
        console.print(f"[bold]grpo phase {number}[/]  " + text.format(**phase))
    table = Table("step", "identity", "made from", box=None, pad_edge=False)
    for step in content.get("steps", []):
        table.add_row(step["name"], step["id"], ", ".join(f"{role} {value}" for role, value in step["inputs"].items()))
    if content.get("steps"):
        console.print(table)
