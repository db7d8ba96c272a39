"""Finding the files of a source inside a folder, by dataset and split."""

from __future__ import annotations

from pathlib import Path

import pytest

from exp.config.dataset import Source
from exp.data.files import find_files
from exp.errors import Refused

GSM8K = Source(name="gsm8k", hub_id="openai/gsm8k", subset="main", split="train")


def found(folder: Path, source: Source, *names: str) -> list[str]:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return [f.relative_to(folder).as_posix() for f in find_files(folder, source, "dataset.eval.path")]


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["gsm8k_train.jsonl", "gsm8k_test.jsonl"], ["gsm8k_train.jsonl"]),
        (["gsm8k-train.parquet", "svamp-train.parquet"], ["gsm8k-train.parquet"]),
        (["train.jsonl", "test.jsonl"], ["train.jsonl"]),
        (["gsm8k/train.json", "svamp/train.json"], ["gsm8k/train.json"]),
        (["train/data.parquet", "test/data.parquet"], ["train/data.parquet"]),
        (["main/train-00000.parquet", "socratic/train-00000.parquet"], ["main/train-00000.parquet"]),
        (
            ["data/train-00001-of-00002-0a1b2c3d4e.parquet", "data/train-00000-of-00002-0a1b2c3d4e.parquet"],
            ["data/train-00000-of-00002-0a1b2c3d4e.parquet", "data/train-00001-of-00002-0a1b2c3d4e.parquet"],
        ),
        (["gsm8k.jsonl", "svamp.jsonl"], ["gsm8k.jsonl"]),
        (["gsm8k.jsonl", "gsm8k_train.jsonl", "notes.txt", ".cache/train.jsonl"], ["gsm8k_train.jsonl"]),
        (["gsm8k_training.jsonl", "gsm8k_dev.jsonl"], ["gsm8k_training.jsonl"]),
    ],
)
def test_the_files_of_the_wanted_dataset_and_split_are_found(
    tmp_path: Path, names: list[str], chosen: list[str]
) -> None:
    assert found(tmp_path, GSM8K, *names) == chosen


@pytest.mark.parametrize(
    ("name", "split", "file"),
    [
        ("gsm8k", "train", "gsm8k_train.jsonl"),
        ("gsm8k", "test", "gsm8k_test.jsonl"),
        ("svamp", "train", "svamp.jsonl"),
        ("math500", "test", "math500.jsonl"),
        ("jeebench", "test", "jeebench.json"),
    ],
)
def test_the_real_files_are_found_among_others(shared_data: Path, name: str, split: str, file: str) -> None:
    assert [f.name for f in find_files(shared_data, Source(name=name, split=split), "dataset.eval.path")] == [file]


@pytest.mark.parametrize(
    "names",
    [[], ["readme.txt"], ["gsm8k_test.jsonl"], ["svamp_train.jsonl"], ["gsm8k_recorded.jsonl"], ["other.jsonl"]],
)
def test_a_folder_without_the_wanted_rows_is_refused_with_the_files_seen(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(Refused, match="no file for gsm8k, split train") as refusal:
        found(tmp_path, GSM8K, *names)
    seen = [name for name in names if name.endswith("jsonl")] or ["no data file at all"]
    assert all(name in str(refusal.value) for name in seen)
    assert "dataset.eval.path=FILE" in refusal.value.problems[0].fix


def test_two_files_that_fit_equally_well_are_refused_with_both_names(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="several files fit") as refusal:
        found(tmp_path, GSM8K, "a/train.jsonl", "b/train.jsonl")
    assert "a/train.jsonl, b/train.jsonl" in str(refusal.value)


def test_a_file_stands_for_itself_whatever_its_name(tmp_path: Path) -> None:
    file = tmp_path / "anything.jsonl"
    file.touch()
    assert find_files(file, GSM8K, "dataset.eval.path") == [file]


@pytest.mark.parametrize("name", ["rows.csv", "rows.pkl", "rows.arrow"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(Refused, match="no JSONL, JSON or Parquet"):
        find_files(tmp_path / name, GSM8K, "dataset.eval.path")


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="there is no file or folder"):
        find_files(tmp_path / "nothing", GSM8K, "dataset.eval.path")
