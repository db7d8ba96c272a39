"""The steps of a point: what each depends on, and so its identity. Nothing is loaded or run here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exp.config.contracts import Context
from exp.config.dataset import Source as DataSource
from exp.config.fingerprint import fingerprint
from exp.config.group import Group
from exp.config.identity import hashed_values, identity
from exp.config.point import Point
from exp.config.training import Phase
from exp.data.heldout import shares_rows
from exp.errors import refuse

EVAL_SEED = 0
"""Seed of sampled evaluation: the same for every seed of a run, so that the base model is measured once."""


@dataclass(frozen=True)
class Step:
    """One unit of work that leaves one artifact."""

    name: str
    """Unique in the point: `data:rl`, `sft`, `grpo`, `grpo:2`, `eval:base`."""
    stage: str
    """`data`, `sft`, `grpo` or `eval`; decides the code that runs and the store's folder."""
    identity: str
    values: Mapping[str, Any]
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Identities by role: `base`, `data`, `model`."""

    @property
    def variant(self) -> str:
        """What follows the colon in the name."""
        return self.name.partition(":")[2]


def plan(point: Point, base: str, start: tuple[str, str] | None = None) -> list[Step]:
    """All steps in the order they run.

    `base` is the identity of the base weights; `start` the stage and identity of the artifact that `grpo.start_from`
    names. Raises `Refused` where the dataset lacks what an enabled stage needs.
    """
    uses = [
        use
        for use, wanted in (("sft", point.sft.enabled), ("rl", point.grpo.enabled), ("eval", point.eval.enabled))
        if wanted
    ]
    data = {use: _data_step(point, use, base) for use in uses}
    steps = list(data.values())
    current, name = ("base", base), "base"
    if point.eval.enabled and point.eval.base:
        steps.append(_eval_step(point, name, current, data["eval"]))
    if point.sft.enabled:
        step = _step("sft", "sft", _training_values(point, "sft"), {"base": base, "data": data["sft"].identity})
        steps.append(step)
        current, name = ("sft", step.identity), "sft"
        if point.eval.enabled:
            steps.append(_eval_step(point, name, current, data["eval"]))
    if point.grpo.enabled:
        current = start or current
        for number, phase in enumerate(phases(point), 1):
            values = {
                **_training_values(point, "grpo"),
                **phase.model_dump(),
                "generations": point.generations.num_generations,
            }
            values |= {"reward": _reward_values(point), "format": point.format.model_dump(mode="json")}
            step_name = "grpo" if number == 1 else f"grpo:{number}"
            step = _step(
                "grpo", step_name, values, {"base": base, "model": "/".join(current), "data": data["rl"].identity}
            )
            steps.append(step)
            current = ("grpo", step.identity)
        if point.eval.enabled:
            steps.append(_eval_step(point, "grpo", current, data["eval"]))
    return steps


def phases(point: Point) -> list[Phase]:
    """The GRPO phases with nothing left to a default."""
    group = point.grpo
    single = [Phase(steps=group.steps)] if group.steps > 0 else []
    return [
        Phase(
            steps=phase.steps,
            context_total=phase.context_total or point.context.total,
            learning_rate=phase.learning_rate or group.learning_rate,
        )
        for phase in group.phases or single
    ]


def phase_context(point: Point, phase: Phase) -> Context:
    """The context of a phase: its own total, the point's share for prompts."""
    return Context(total=phase.context_total or point.context.total, prompt_share=point.context.prompt_share)


def point_id(steps: list[Step]) -> str:
    """Identity of a point: that of all its steps together."""
    return hashlib.sha256("\n".join(f"{s.name} {s.identity}" for s in steps).encode()).hexdigest()[:16]


def _step(stage: str, name: str, values: dict[str, Any], inputs: dict[str, str]) -> Step:
    return Step(name, stage, identity(stage, values, inputs), values, inputs)


def _data_step(point: Point, use: str, base: str) -> Step:
    dataset = point.dataset
    source = getattr(dataset, use)
    if source is None:
        stage = {"sft": "sft", "rl": "grpo"}[use]
        lacks = {"sft": "reasoning traces to imitate", "rl": "questions with verifiable answers to practise on"}[use]
        raise refuse(
            f"dataset {dataset.name!r} has no {lacks}", f"dataset.{use}", f"{stage}=none, or a dataset that has them"
        )
    values: dict[str, Any] = {
        "use": use,
        "source": _source_values(source, dataset.path),
        "eval": _source_values(dataset.eval, dataset.path),
        "dataset": dataset.model_dump(mode="json", exclude={"name", "path", "sft", "rl", "eval"}),
        "format": point.format.model_dump(mode="json"),
        "context": point.context.model_dump(mode="json"),
        "template_options": point.model.template_options,
    }
    if use != "eval":
        values["seed"] = point.seed
    # Which rows are for evaluation depends on whether training reads the same ones.
    values["divided"] = shares_rows(dataset)
    return _step("data", f"data:{use}", values, {"base": base})


def _eval_step(point: Point, name: str, model: tuple[str, str], data: Step) -> Step:
    values = {
        "eval": _values("eval", point.eval),
        "engine": _values("engine", point.engine),
        "backend": _values("backend", point.backend),
        "dtype": point.model.dtype,
        "verifier": point.reward.verifier,
        "files": _file_contents([point.reward.verifier]),
        "seed": EVAL_SEED,
    }
    return _step("eval", f"eval:{name}", values, {"model": "/".join(model), "data": data.identity})


def _training_values(point: Point, group: str) -> dict[str, Any]:
    own = _values(group, getattr(point, group))
    if group == "sft":
        own["packing"] = point.packing  # what `auto` comes to
    return {
        group: own,
        "lora": _values("lora", point.lora),
        "backend": _values("backend", point.backend),
        "dtype": point.model.dtype,
        "seed": point.seed,
        "world_size": point.world_size,
    }


def _values(group: str, content: Group) -> dict[str, Any]:
    return hashed_values(group, content.model_dump(mode="json"))


def _reward_values(point: Point) -> dict[str, Any]:
    named = [component.function for component in point.reward.components.values()] + [point.reward.verifier]
    return {**_values("reward", point.reward), "files": _file_contents(named)}


def _file_contents(names: Iterable[str | None]) -> dict[str, str]:
    """The content hashes of the user's own files among names of rewards and verifiers."""
    files = {name.rpartition(":")[0] for name in names if name and ":" in name}
    return {file: _content(file, "reward") for file in sorted(files)}


def _source_values(source: DataSource, shared_path: str | None) -> dict[str, Any]:
    values = source.model_dump(mode="json", exclude={"path"})
    path = source.path or (shared_path if source.hub_id or source.name == "rows" else None)
    if path:
        values["content"] = _content(path, "dataset.path")
        values.pop("hub_id"), values.pop("revision")
    if ":" in source.name:
        values["reader"] = _content(source.name.rpartition(":")[0], "dataset")
    if source.kind and ":" in source.kind:
        values["verifier"] = _content(source.kind.rpartition(":")[0], "dataset")
    return values


def _content(path: str, key: str) -> str:
    try:
        return fingerprint(Path(path).expanduser())
    except FileNotFoundError:
        raise refuse(f"there is nothing at {path!r}", key, f"{key}=FILE or FOLDER that exists") from None
