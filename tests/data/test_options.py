"""The shipped dataset options: complete, and pointing at readers that exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from exp.config.compose import compose_point
from exp.data.sources import ANY_SHAPE, GENERATORS, READERS
from exp.paths import conf_dir

OPTIONS = sorted(file.stem for file in (conf_dir() / "dataset").glob("*.yaml"))
OWN_FILE = {"jsonl", "parquet"}


def overrides(option: str) -> list[str]:
    return [f"dataset={option}", *(["dataset.path=rows.jsonl"] if option in OWN_FILE else [])]


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_names_itself_and_sources_that_can_be_read(option: str) -> None:
    dataset = compose_point(overrides(option)).dataset
    assert dataset.name == option
    for source in (dataset.sft, dataset.rl, dataset.eval):
        if source is not None:
            assert source.name in {*READERS, *GENERATORS, ANY_SHAPE}
            assert source.hub_id or source.name in GENERATORS or option in OWN_FILE


def test_every_reader_and_generator_is_offered_by_some_option() -> None:
    texts = "\n".join((conf_dir() / "dataset" / f"{option}.yaml").read_text("utf-8") for option in OPTIONS)
    assert [name for name in (*READERS, *GENERATORS, ANY_SHAPE) if f"name: {name}\n" not in texts] == []


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_begins_by_saying_what_it_is(option: str) -> None:
    assert Path(conf_dir() / "dataset" / f"{option}.yaml").read_text("utf-8").startswith("# ")


def test_traces_from_one_dataset_combine_with_the_evaluation_of_another() -> None:
    dataset = compose_point(["dataset=math500"]).dataset
    assert dataset.sft is not None
    assert (dataset.sft.name, dataset.eval.name) == ("openr1_math", "math500")
    assert dataset.sft.format is not None and dataset.sft.format.reasoning_open == "<think>"
