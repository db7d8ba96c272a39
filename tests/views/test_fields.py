"""`exp fields`: every key of the schema, with its type, default and meaning."""

from __future__ import annotations

import pytest

from exp.config.overrides import GROUPS, field_at
from exp.config.point import Point
from exp.errors import Refused
from exp.views.fields import field_rows, main


def printed(capsys: pytest.CaptureFixture[str], *groups: str) -> list[list[str]]:
    assert main(groups) == 0
    return [line.split("\t") for line in capsys.readouterr().out.splitlines()]


def test_every_field_of_every_group_is_explained() -> None:
    rows = [row for group in GROUPS for row in field_rows(group, Point.model_fields[group].annotation)]
    assert len(rows) > 100
    assert [key for key, _, _, meaning in rows if not meaning.endswith((".", ";"))] == []


def test_every_key_that_is_listed_is_a_key_of_the_schema() -> None:
    for group in GROUPS:
        for key, *_ in field_rows(group, Point.model_fields[group].annotation):
            field_at(key.split("."))


def test_a_group_is_listed_with_types_and_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row[0]: row[1:3] for row in printed(capsys, "grpo", "lora")}
    assert rows["grpo.loss_type"] == ["grpo|bnpo|dr_grpo|dapo|cispo", "grpo"]
    assert rows["grpo.batch_size"] == ["int", ""]
    assert rows["grpo.epsilon_high"] == ["float|null", "null"]
    assert rows["grpo.enabled"] == ["bool", "true"]
    assert rows["grpo.extra"] == ["dict of str, Any", "{}"]
    assert rows["lora.target_modules"] == ["str|list of str", "all-linear"]
    assert not any(key.startswith("sft.") for key in rows)


def test_nested_groups_are_listed_with_their_keys(capsys: pytest.CaptureFixture[str]) -> None:
    keys = [row[0] for row in printed(capsys, "dataset", "model")]
    assert {"dataset.rl.columns", "dataset.sft.format.answer_open", "model.architecture.head_dim"} <= set(keys)


def test_without_a_name_all_groups_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert {row[0].split(".")[0] for row in printed(capsys)} == set(GROUPS)


def test_a_misspelt_group_is_met_with_the_right_one() -> None:
    with pytest.raises(Refused) as refused:
        main(["gropo"])
    assert refused.value.problems[0].fix == "exp fields grpo"


def test_every_top_level_key_is_explained() -> None:
    silent = [name for name, info in Point.model_fields.items() if name not in GROUPS and not info.description]
    assert silent == []
