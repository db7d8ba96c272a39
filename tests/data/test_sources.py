"""Opening sources: the table, a user's own function, and columns that are not the expected ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exp.config.dataset import Dataset, Source
from exp.data.sources import GENERATORS, READERS, open_source
from exp.errors import Refused

OWN = """
def squares(split, seed, n=3):
    for i in range(n):
        yield {"question": f"{split}: {i} squared?", "answer": i * i}
"""


def open_eval(source: Source, path: Path | None = None) -> Any:
    return open_source(Dataset(name="own", path=str(path) if path else None, eval=source), "eval")


def test_no_name_is_both_read_and_generated() -> None:
    assert not set(READERS) & set(GENERATORS)


def test_an_unknown_source_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(Refused, match="no source 'gsm8'") as refusal:
        open_eval(Source(name="gsm8"))
    assert refusal.value.problems[0].fix == "dataset.eval.name=gsm8k"


def test_a_source_without_a_place_is_refused() -> None:
    with pytest.raises(Refused, match="not said where the rows are") as refusal:
        open_eval(Source(name="rows"))
    assert "dataset.path=" in refusal.value.problems[0].fix


def test_a_source_of_its_own_path_does_not_look_at_the_path_of_the_dataset(write_jsonl: Callable[..., Path]) -> None:
    own, other = write_jsonl([{"question": "?", "answer": 1}], "own.jsonl"), write_jsonl([], "other.jsonl")
    assert open_eval(Source(name="rows", path=str(own)), other).files == (own,)


def test_a_function_of_the_user_is_a_source(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, "utf-8")
    opened = open_eval(Source(name=f"{tmp_path}/mine.py:squares", split="test", options={"n": 2}))
    examples = [r.example for r in opened.read(0)]
    assert [(e.question, e.answer) for e in examples] == [("test: 0 squared?", "0"), ("test: 1 squared?", "1")]
    assert len({e.id for e in examples}) == 2


def test_a_function_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, "utf-8")
    with pytest.raises(Refused, match="no function 'cubes'"):
        list(open_eval(Source(name=f"{tmp_path}/mine.py:cubes")).read(0))


def test_columns_are_renamed_before_reading(write_jsonl: Callable[..., Path]) -> None:
    file = write_jsonl([{"Frage": "2+2?", "Antwort": 4}])
    columns = {"Frage": "question", "Antwort": "answer"}
    (read,) = open_eval(Source(name="rows", columns=columns), file).read(0)
    assert read.example is not None
    assert (read.example.question, read.example.answer) == ("2+2?", "4")
    assert read.raw == {"Frage": "2+2?", "Antwort": 4}


def test_unknown_columns_are_refused_at_the_first_row_with_file_and_columns(write_jsonl: Callable[..., Path]) -> None:
    file = write_jsonl([{"Frage": "2+2?", "Antwort": 4}])
    with pytest.raises(Refused, match="has the columns Frage, Antwort") as refusal:
        list(open_eval(Source(name="rows"), file).read(0))
    assert f"{file}, row 1" in refusal.value.problems[0].where


def test_missing_columns_of_a_named_dataset_are_refused_with_the_mapping_to_paste(
    write_jsonl: Callable[..., Path],
) -> None:
    file = write_jsonl([{"prompt": "2+2?", "answer": "so #### 4"}])
    with pytest.raises(Refused, match="no value for `question`") as refusal:
        list(open_eval(Source(name="gsm8k"), file).read(0))
    assert refusal.value.problems[0].fix.endswith("'dataset.eval.columns={prompt: question}'")


def test_an_ambiguous_first_row_is_refused_with_the_shape_to_name(write_jsonl: Callable[..., Path]) -> None:
    file = write_jsonl([{"question": "?", "answer": 1, "text": "?"}])
    with pytest.raises(Refused, match="row 1 can be read as") as refusal:
        list(open_eval(Source(name="rows"), file).read(0))
    assert refusal.value.problems[0].fix == "dataset.eval.shape=text"


def test_a_later_row_of_another_shape_is_dropped_with_its_number(write_jsonl: Callable[..., Path]) -> None:
    file = write_jsonl([{"question": "?", "answer": 1}, {"text": "?"}, {"question": "??", "answer": 2}])
    read = list(open_eval(Source(name="rows"), file).read(0))
    assert [(r.number, r.example is None) for r in read] == [(1, False), (2, True), (3, False)]


def test_the_hub_out_of_reach_is_refused_with_the_way_around(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(Refused, match="cannot read openai/gsm8k from the hub") as refusal:
        list(open_eval(Source(name="gsm8k", hub_id="openai/gsm8k")).read(0))
    assert "dataset.path=FOLDER" in refusal.value.problems[0].fix


def test_offline_the_rows_come_from_the_hub_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, write_jsonl: Callable[..., Path]
) -> None:
    from huggingface_hub import constants

    repository = "cache/datasets--openai--gsm8k"
    row = {"question": "2+2?", "answer": "sum\n#### 4"}
    write_jsonl([row], f"{repository}/snapshots/abc/main/test-00000-of-00001.jsonl")
    write_jsonl([], f"{repository}/refs/main").write_text("abc", "utf-8")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "given" / "cache"))
    source = Source(name="gsm8k", hub_id="openai/gsm8k", subset="main", split="test")
    (read,) = open_eval(source).read(0)
    assert read.raw == row


def test_rows_from_the_hub_go_through_the_same_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    asked: dict[str, Any] = {}

    def load_dataset(hub_id: str, subset: str | None, **options: Any) -> Any:
        asked.update(options, hub_id=hub_id, subset=subset)
        return datasets.Dataset.from_list([{"question": "2+2?", "answer": "sum\n#### 4"}]).to_iterable_dataset()

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    source = Source(name="gsm8k", hub_id="openai/gsm8k", subset="main", split="test", revision="abc", shuffle=True)
    (read,) = open_eval(source).read(0)
    assert read.example is not None and read.example.answer == "4"
    assert asked == {
        "hub_id": "openai/gsm8k",
        "subset": "main",
        "split": "test",
        "revision": "abc",
        "streaming": True,
    }
