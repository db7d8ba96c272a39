"""Finding the model that `grpo.start_from` names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exp.errors import Problem, Refused
from exp.stages.start import find_start


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """Two finished runs with one SFT model each, one without, and a GRPO model in the store."""
    add_run(tmp_path, "20260101-000000-tiny-aaaaaaaa", {"status": "done", "id": "1111"})
    add_run(tmp_path, "20260102-000000-tiny-aaaaaaaa", {"status": "done", "id": "2222"})
    add_run(tmp_path, "20260103-000000-qwen8b-bbbbbbbb", {"status": "off"})
    for stage, identity in (("sft", "1111"), ("sft", "2222"), ("grpo", "3333")):
        folder = tmp_path / "store" / stage / identity
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text("{}")
    (tmp_path / "store" / "sft" / "4444.partial").mkdir()
    return tmp_path


def add_run(outputs: Path, name: str, sft: dict[str, str]) -> None:
    folder = outputs / "runs" / name
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps({"stages": {"sft": sft}}))


def problem(outputs: Path, name: str) -> Problem:
    with pytest.raises(Refused) as refused:
        find_start(outputs, name)
    (only,) = refused.value.problems
    assert only.where == "grpo.start_from"
    return only


def test_an_artifact_is_named_by_stage_and_identity(outputs: Path) -> None:
    assert find_start(outputs, "sft/2222") == ("sft", "2222")
    assert find_start(outputs, "grpo/3333") == ("grpo", "3333")


def test_a_run_is_named_by_its_folder_and_stands_for_its_sft_model(outputs: Path) -> None:
    assert find_start(outputs, "20260101-000000-tiny-aaaaaaaa") == ("sft", "1111")
    assert find_start(outputs, "outputs/runs/20260102-000000-tiny-aaaaaaaa") == ("sft", "2222")


def test_an_ending_that_fits_several_runs_is_refused_with_the_newest(outputs: Path) -> None:
    found = problem(outputs, "aaaaaaaa")
    assert "fits 2 runs" in found.what
    assert found.fix == "grpo.start_from=20260102-000000-tiny-aaaaaaaa"
    add_run(outputs, "20260104-000000-words-cccccccc", {"status": "done", "id": "1111"})
    assert find_start(outputs, "cccccccc") == ("sft", "1111")


def test_a_run_without_an_sft_model_is_refused(outputs: Path) -> None:
    assert "no finished SFT stage" in problem(outputs, "bbbbbbbb").what


@pytest.mark.parametrize("name", ["sft/9999", "sft/4444", "grpo/1111", "nothing", "1111"])
def test_what_is_not_there_is_refused(outputs: Path, name: str) -> None:
    assert "no finished model is called" in problem(outputs, name).what


def test_a_misspelt_name_is_met_with_the_right_one(outputs: Path) -> None:
    assert problem(outputs, "20260103-000000-qwen8b-bbbbbbbc").fix == "grpo.start_from=20260103-000000-qwen8b-bbbbbbbb"
    assert problem(outputs, "sft/1112").fix == "grpo.start_from=sft/1111"


def test_where_nothing_was_run_there_is_nothing_to_start_from(tmp_path: Path) -> None:
    assert "there are none" in problem(tmp_path, "anything").what
