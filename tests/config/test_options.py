"""Every option that is shipped composes, is typed, and says in the end what its file says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from exp.config.compose import compose_point
from exp.config.overrides import EXTRA_GROUPS, GROUPS, group_options
from exp.paths import conf_dir

OPTIONS = [(group, option) for group in (*GROUPS, *EXTRA_GROUPS) for option in group_options(group)]
NEEDS = {"jsonl": ["dataset.path=rows.jsonl"], "parquet": ["dataset.path=rows.parquet"]}
"""What must be typed beside an option."""


def leaves(content: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted key and value of everything in a nested mapping."""
    for key, value in content.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def written_values(file: Path, group: str) -> dict[str, Any]:
    """What an option's file sets, by dotted key of the point."""
    content: dict[str, Any] = OmegaConf.to_container(OmegaConf.load(file))  # type: ignore[assignment]
    content.pop("defaults", None)
    is_global = file.read_text(encoding="utf-8").startswith("# @package _global_")
    return {key: value for key, value in leaves(content if is_global else {group: content}) if value != "???"}


def value_at(content: Any, key: str) -> Any:
    for part in key.split("."):
        content = content[part]
    return content


def without_unset(value: Any) -> Any:
    """A dumped value as a file would say it: fields that were left to their default None are not there."""
    if isinstance(value, list):
        return [without_unset(item) for item in value]
    if isinstance(value, dict):
        return {key: without_unset(item) for key, item in value.items() if item is not None}
    return value


def test_every_group_of_the_schema_has_options_and_every_folder_is_a_group() -> None:
    folders = {folder.name for folder in conf_dir().iterdir() if folder.is_dir()}
    assert folders == {*GROUPS, *EXTRA_GROUPS}
    assert all(group_options(group) for group in folders)


@pytest.mark.parametrize(("group", "option"), OPTIONS, ids=lambda word: word)
def test_an_option_composes_with_defaults_elsewhere_and_its_values_arrive(group: str, option: str) -> None:
    point = compose_point([f"{group}={option}", *NEEDS.get(option, [])])
    content = point.model_dump(mode="json")
    written = written_values(conf_dir() / group / f"{option}.yaml", group)
    differing = {key: value_at(content, key) for key, value in written.items() if value_at(content, key) != value}
    differing = {key: value for key, value in differing.items() if without_unset(value) != written[key]}
    assert differing == {}


@pytest.mark.parametrize("option", group_options("model"))
def test_every_model_takes_every_kind_of_companion(option: str) -> None:
    words = ["dataset=gsm8k", "format=working_out", "reward=lenient", "context=1k", "lora=none", "generations=g2"]
    point = compose_point([f"model={option}", *words, "sft=default", "grpo=dapo", "eval=greedy", "engine=transformers"])
    assert (point.dataset.name, point.context.total, point.lora.rank) == ("gsm8k", 1024, 0)
    assert (point.generations.num_generations, point.grpo.loss_type, point.eval.samples) == (2, "dapo", 0)
    assert point.format.answer_open == "<SOLUTION>"


def test_what_is_typed_wins_over_what_a_model_brings_along() -> None:
    brought = compose_point(["model=tiny"])
    typed = compose_point(["context=2k", "sft=default", "model=tiny", "grpo.steps=7"])
    assert brought.context.total != 2048
    assert (typed.context.total, typed.sft.steps, typed.grpo.steps) == (2048, -1, 7)


def test_a_recipe_sets_other_groups_and_typed_words_win() -> None:
    point = compose_point(["model=qwen17b", "recipe=short_to_long"])
    assert point.context.total == 8192
    assert [phase.context_total for phase in point.grpo.phases] == [2048, 4096, 8192]
    assert compose_point(["model=qwen17b", "recipe=short_to_long", "context=4k"]).context.total == 4096


def test_the_cards_model_composes_with_no_network() -> None:
    point = compose_point(["model=qwen8b", "reward=strict"])
    assert point.model.hub_id == "Qwen/Qwen3-8B"
    assert list(point.reward.components) == ["strict"]


def test_a_folder_of_ones_own_adds_options(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "mine.yaml").write_text("path: /models/mine\n")
    assert "mine" in group_options("model", [tmp_path])
    assert "mine" not in group_options("model")
