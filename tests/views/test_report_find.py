"""Which run is meant by a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from exp.errors import Refused
from exp.views.report_find import find_run


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name in ("20300101-000000-a-11111111", "20300102-000000-a-22222222", "20300102-000000-b-33333333"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_without_a_name_the_newest_run_is_meant(runs):
    assert find_run(None, runs).name == "20300102-000000-b-33333333"


def test_a_folder_a_whole_id_and_a_unique_beginning_are_understood(runs):
    first = runs / "20300101-000000-a-11111111"
    assert find_run(str(first), Path("elsewhere")) == first
    assert find_run(first.name, runs) == first
    assert find_run("20300101", runs) == first


def test_a_beginning_of_several_runs_is_refused_with_their_names(runs):
    with pytest.raises(Refused, match="begins 2 runs: 20300102-000000-a-22222222, 20300102-000000-b-33333333"):
        find_run("20300102", runs)


def test_an_unknown_name_is_refused_with_the_nearest_one(runs):
    with pytest.raises(Refused) as refused:
        find_run("20300102-000000-b-33333334", runs)
    assert refused.value.problems[0].fix == "python -m exp report 20300102-000000-b-33333333"


def test_without_any_run_the_first_step_is_named(tmp_path):
    with pytest.raises(Refused) as refused:
        find_run(None, tmp_path / "runs")
    assert refused.value.problems[0].fix == "python -m exp.train"
