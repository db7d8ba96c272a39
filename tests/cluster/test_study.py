"""Studies kept in files: what is shipped reads and composes, and what is wrong in one is named by file and key."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from exp.cluster.study import Study, find_study, main, read_study, sweep_overrides
from exp.config.compose import compose_point
from exp.config.overrides import check_overrides
from exp.errors import Refused
from exp.paths import sweeps_dir
from exp.preflight.contracts import contract_problems

SHIPPED = sorted(sweeps_dir().glob("*.yaml"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_every_point_of_a_shipped_study_composes_and_breaks_no_rule(file: Path) -> None:
    study = read_study(file)
    check_overrides(sweep_overrides(study), multirun=True)
    axes = [[f"{key}={value}" for value in values] for key, values in study.axes.items()]
    points = [compose_point([*study.overrides, *words]) for words in product(*axes)]
    assert len(points) > 1
    assert [contract_problems(point) for point in points] == [[]] * len(points)


def test_a_study_becomes_a_sweep() -> None:
    study = Study(overrides=["model=tiny"], axes={"lora": ["r8", "r16"], "grpo.beta": [0.0, 1e-3]})
    assert sweep_overrides(study) == ["model=tiny", "lora=r8,r16", "grpo.beta=0.0,0.001"]


def test_a_study_is_found_by_name_by_path_and_in_a_folder_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = sweeps_dir() / "smoke.yaml"
    assert find_study("smoke") == find_study("smoke.yaml") == find_study("sweeps/smoke.yaml") == shipped
    own = tmp_path / "own.yaml"
    own.write_text("axes: {lora: [r8]}\n")
    assert find_study("own.yaml") == Path("own.yaml")


def test_a_misspelt_study_is_met_with_the_right_one() -> None:
    with pytest.raises(Refused) as refused:
        find_study("sweeps/smok.yaml")
    assert refused.value.problems[0].fix == "python -m exp sweep sweeps/smoke.yaml"


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("overrides: [model=tiny]\n", "axes"),
        ("axes: {}\n", "axes"),
        ("axes: {lora: r8}\n", "axes.lora"),
        ("axes: {lora: [r8]}\naxis: 3\n", "axis"),
        ("- lora\n", ""),
    ],
)
def test_what_is_wrong_in_a_study_is_named_by_file_and_key(tmp_path: Path, content: str, key: str) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(content)
    with pytest.raises(Refused) as refused:
        read_study(file)
    assert [problem.where for problem in refused.value.problems] == [f"{file}: {key}" if key else str(file)]


def test_a_file_that_is_no_yaml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text("axes: [unclosed\n")
    with pytest.raises(Refused, match="is not YAML"):
        read_study(file)


def test_without_a_file_the_verb_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["--help"]) == 0
    assert "smoke" in capsys.readouterr().out
