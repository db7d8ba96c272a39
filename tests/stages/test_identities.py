"""Identities of steps: equal meaning gives equal identity, and a value changes the steps it matters to and no other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from exp.config.compose import compose_point
from exp.config.overrides import without_none
from exp.config.point import Point
from exp.models.source import find_base
from exp.stages.plan import Step, plan

BASE = "0123456789abcdef"


def full_point() -> Point:
    """A point in which every optional group is present and evaluation has rows of its own."""
    content: dict[str, Any] = compose_point(["model=qwen17b", "dataset=math500"]).model_dump()
    tags = {"reasoning_open": "<r>", "reasoning_close": "</r>", "answer_open": "<a>", "answer_close": "</a>"}
    for use in ("sft", "rl", "eval"):
        content["dataset"][use]["format"] = {"system_prompt": "", "answer_in_box": True, **tags}
    return Point.model_validate(content)


POINT = full_point()

DATA, EVALS = ("data:sft", "data:rl", "data:eval"), ("eval:base", "eval:sft", "eval:grpo")
TOUCHES: dict[str, tuple[str, ...]] = {
    "model": (),  # the identity of the weights stands for it
    "model.template_options": DATA,
    "model.dtype": ("sft", "grpo", *EVALS),
    "dataset": DATA,
    "dataset.name": (),
    "dataset.sft": ("data:sft",),
    "dataset.rl": ("data:rl",),
    "dataset.eval": DATA,
    "format": (*DATA, "grpo"),
    "context": (*DATA, "grpo"),
    "reward.components": ("grpo",),
    "reward.verifier": ("grpo", *EVALS),
    "lora": ("sft", "grpo"),
    "generations": ("grpo",),
    "sft": ("sft",),
    "grpo": ("grpo",),
    "eval": EVALS,
    "engine": EVALS,
    "backend": ("sft", "grpo", *EVALS),
    "cluster": (),
    "cluster.nodes": ("sft", "grpo"),
    "cluster.gpus": ("sft", "grpo"),
    "tracker": (),
    "seed": ("data:sft", "data:rl", "sft", "grpo"),
    "label": (),
    "outputs": (),
    "reward.audit": (),
    "sft.save_steps": (),
    "sft.logging_steps": (),
    "grpo.save_steps": (),
    "grpo.logging_steps": (),
}
"""The steps whose own values hold a key, by its longest prefix; steps made from them change with them."""

ELSEWHERE = {"sft.enabled", "grpo.enabled", "eval.enabled", "eval.base", "grpo.start_from"} | {
    f"dataset{use}.path" for use in ("", ".sft", ".rl", ".eval")
}
"""Keys that have tests of their own."""


def ids(point: Point, base: str = BASE) -> dict[str, str]:
    return {step.name: step.identity for step in plan(point, base)}


def composed(*words: str) -> dict[str, str]:
    return ids(compose_point(words))


def leaves(model: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted key and type of every value in the schema; open mappings and lists are values."""
    for name, info in model.model_fields.items():
        kind = without_none(info.annotation)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from leaves(kind, f"{prefix}{name}.")
        elif get_origin(kind) is not Literal or len(get_args(kind)) > 1:
            yield f"{prefix}{name}", kind


def another(value: Any, kind: Any) -> Any:
    """A valid value that differs from `value`."""
    if get_origin(kind) is Literal:
        return next(choice for choice in get_args(kind) if choice != value)
    if kind is bool:
        return not value
    if kind is int:
        return (value or 64) + 1
    if kind is float:
        return 0.75 if value != 0.75 else 0.7
    if get_origin(kind) is dict:
        return {"something": {} if "Component" in str(kind) else "x"}
    if get_origin(kind) is list:
        return [{"steps": 9}]
    return "svamp" if value in ("openr1_math", "math500") else f"{value or ''}<other>"


def changed(point: Point, key: str, kind: Any) -> Point:
    content: dict[str, Any] = point.model_dump()
    *groups, name = key.split(".")
    here = content
    for group in groups:
        here = here[group]
    here[name] = another(here[name], kind)
    return Point.model_validate(content)


def touched(key: str) -> set[str]:
    """The steps that a key must change: those whose values hold it, and all that are made from them."""
    parts = key.split(".")
    prefixes = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    found = set(TOUCHES[next(prefix for prefix in prefixes if prefix in TOUCHES)])
    for step in plan(POINT, BASE):
        if found & {source_of(step, role) for role in step.inputs}:
            found.add(step.name)
    return found


def source_of(step: Step, role: str) -> str:
    """The name of the step that made an input."""
    identity = step.inputs[role].rpartition("/")[2]
    return next((name for name, other in ids(POINT).items() if other == identity), "base")


@pytest.mark.parametrize(
    ("key", "kind"), [leaf for leaf in leaves(Point) if leaf[0] not in ELSEWHERE], ids=lambda part: str(part)[:40]
)
def test_a_value_changes_the_steps_that_depend_on_it_and_no_other(key: str, kind: Any) -> None:
    other = changed(POINT, key, kind)
    assert other != POINT
    before, after = ids(POINT), ids(other)
    assert {name for name in before if before[name] != after[name]} == touched(key)


def test_the_base_weights_change_every_step() -> None:
    assert not set(ids(POINT).values()) & set(ids(POINT, "fedcba9876543210").values())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["lora=r16"], ["lora.rank=16"]),
        (["lora=r32"], ["lora=r8", "lora.rank=32"]),
        (["grpo.learning_rate=1e-4"], ["grpo.learning_rate=0.0001"]),
        (["grpo.beta=0"], ["grpo.beta=0.0"]),
        (["generations=g4"], ["generations.num_generations=4"]),
        (["context=6k"], ["context.total=6144", "context.prompt_share=0.2"]),
        (["seed=0"], []),
        (["model=qwen17b", "lora=r8"], ["lora=r8", "model=qwen17b"]),
        (["grpo=dapo"], ["grpo.loss_type=dapo", "grpo.epsilon_high=0.28", "grpo.mask_truncated_completions=true"]),
        (["grpo.phases=[{steps: 250}]"], ["grpo.steps=250"]),
    ],
)
def test_equal_meaning_is_equal_identity(first: list[str], second: list[str]) -> None:
    start = ["model=qwen06b"]
    assert composed(*start, *first) == composed(*start, *second)


@pytest.mark.parametrize(
    "word",
    [
        "tracker=none",
        "tracker.project=other",
        "outputs=elsewhere",
        "label=words",
        "sft.save_steps=7",
        "grpo.save_steps=7",
        "grpo.logging_steps=3",
    ],
)
def test_what_cannot_change_a_result_changes_no_identity(word: str) -> None:
    assert composed("model=qwen06b", word) == composed("model=qwen06b")


@pytest.mark.parametrize("key", ["dataset.path", "dataset.rl.path"])
def test_local_data_is_known_by_its_content_and_not_by_its_place(key: str, tmp_path: Path) -> None:
    here, copy, edited = tmp_path / "here", tmp_path / "copy", tmp_path / "edited"
    here.mkdir()
    for split in ("train", "test"):
        (here / f"{split}.jsonl").write_text('{"question": "1+1", "answer": "2"}\n')
    shutil.copytree(here, copy)
    shutil.copytree(here, edited)
    (edited / "train.jsonl").write_text('{"question": "1+2", "answer": "3"}\n')
    at = {folder.name: composed("model=qwen06b", f"{key}={folder}") for folder in (here, copy, edited)}
    assert at["here"] == at["copy"]
    assert at["here"]["data:rl"] != at["edited"]["data:rl"]
    assert at["here"]["data:rl"] != composed("model=qwen06b")["data:rl"]


def test_the_content_of_ones_own_reward_belongs_to_grpo_and_of_ones_verifier_to_evaluation_too(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    reward, verifier = f'reward.components.own.function="{file}:pay"', f'reward.verifier="{file}:check"'
    found = {}
    for word in (reward, verifier):
        file.write_text("one = 1\n")
        before = composed("model=qwen06b", word)
        file.write_text("two = 2\n")
        after = composed("model=qwen06b", word)
        found[word] = {name for name in before if before[name] != after[name]}
    assert found[reward] == {"grpo", "eval:grpo"}
    assert found[verifier] == {"grpo", *EVALS}


# Where this fails, the same configuration will not find the artifacts it made before. If what a stage computes changed,
# that is right: raise its number in exp.config.identity.VERSIONS and copy the new values here. If a file in conf/ or
# the embedded weights changed, copy the new values. If neither did, the change broke identities: undo it.
GOLDEN = {
    "": {
        "data:sft": "e8c99b883a361aaf",
        "data:rl": "3d6a7cbb23d33bb1",
        "data:eval": "0ab0996e96905821",
        "eval:base": "0c518c93292b5fe9",
        "sft": "3fa8cc65e04befe6",
        "eval:sft": "ad0abba4d64125ca",
        "grpo": "9dc7530f03b64a04",
        "eval:grpo": "0f676b46966a5e70",
    },
    "model=qwen06b dataset=gsm8k": {
        "data:sft": "9115e06274dbe425",
        "data:rl": "7fc4f70aaa6c066c",
        "data:eval": "9e02fd64d9402d14",
        "eval:base": "2e22048dd0b64125",
        "sft": "bd3e59aaa7201fcb",
        "eval:sft": "e9402e6c839bbe03",
        "grpo": "aacb4f99c418c5cd",
        "eval:grpo": "8c5eadb00612a171",
    },
}


@pytest.mark.parametrize("words", GOLDEN)
def test_identities_stay_what_they_were(words: str) -> None:
    point = compose_point(words.split())
    assert ids(point, find_base(point.model).identity) == GOLDEN[words]
