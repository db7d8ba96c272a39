"""`exp plan`: what a run would do, for people and for programs, with nothing run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from exp.config.compose import compose_point
from exp.errors import Refused
from exp.stages.plan import plan
from exp.views.plan import main

POINT = ["model=qwen06b", "dataset=gsm8k"]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))


def planned(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, Any]:
    assert main(["--json", *words]) == status
    content: dict[str, Any] = json.loads(capsys.readouterr().out)
    return content


def test_the_json_holds_the_resolved_contracts(capsys: pytest.CaptureFixture[str]) -> None:
    content = planned(capsys, *POINT, "context=6k", "lora=r32", "generations=g4")
    assert content["problems"] == []
    assert content["lengths"] == {"total": 6144, "prompt": 1228, "completion": 4916}
    assert content["batch"]["grpo"] == {
        "effective": 64,
        "micro": 4,
        "accumulation": 16,
        "world_size": 1,
        "prompts": 16,
    }
    assert content["config"]["lora"]["rank"] == 32
    (phase,) = content["phases"]
    assert (phase["steps"], phase["lengths"]["completion"]) == (250, 4916)


def test_the_steps_are_those_that_would_run(capsys: pytest.CaptureFixture[str]) -> None:
    point = compose_point(POINT)
    steps = plan(point, f"{point.model.hub_id}@{point.model.revision}")
    found = planned(capsys, *POINT)["steps"]
    assert found == [{"name": s.name, "id": s.identity, "inputs": dict(s.inputs)} for s in steps]


def test_a_model_that_is_not_here_is_a_warning_and_no_problem(capsys: pytest.CaptureFixture[str]) -> None:
    content = planned(capsys, "model=qwen8b", "reward=strict")
    assert content["problems"] == []
    assert [warning["where"] for warning in content["warnings"]] == ["model.hub_id", "dataset.eval"]
    assert len(content["steps"]) == 8


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (["generations.num_generations=3"], "grpo.batch_size and generations.num_generations"),
        (["grpo.steps=-1"], "grpo.steps"),
        (["dataset.path=nowhere"], "dataset.path"),
        (["sft=none", "grpo.start_from=nothing"], "grpo.start_from"),
        (["lora.rank=-1"], "lora.rank (command line)"),
        (["lora=16"], "command line"),
    ],
)
def test_a_problem_is_told_and_gives_status_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], where: str
) -> None:
    content = planned(capsys, *POINT, f"outputs={tmp_path}", *words, status=1)
    assert where in [problem["where"] for problem in content["problems"]]
    assert all(set(problem) == {"check", "what", "where", "fix"} for problem in content["problems"])


def test_a_command_line_that_cannot_be_read_is_refused_where_a_person_reads() -> None:
    with pytest.raises(Refused):
        main(["lora=16"])


def test_piped_output_is_one_tab_separated_fact_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(POINT) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert {len(row) for row in rows} == {3}
    assert ["lengths", "total", "4096"] in rows
    assert [row[1] for row in rows if row[0] == "step"][:3] == ["data:sft", "data:rl", "data:eval"]


def test_problems_of_a_plan_for_people_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*POINT, "generations.num_generations=3"]) == 1
    assert "problem: grpo.batch_size" in capsys.readouterr().err


def test_each_phase_has_its_own_lengths(capsys: pytest.CaptureFixture[str]) -> None:
    content = planned(capsys, "model=qwen17b", "recipe=short_to_long")
    assert [phase["lengths"]["total"] for phase in content["phases"]] == [2048, 4096, 8192]


def test_what_is_switched_off_is_not_planned(capsys: pytest.CaptureFixture[str]) -> None:
    content = planned(capsys, *POINT, "grpo=none", "eval=none")
    assert [step["name"] for step in content["steps"]] == ["data:sft", "sft"]
    assert (list(content["batch"]), content["phases"]) == (["sft"], [])


def test_planning_writes_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "exp", "plan", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(done.stdout)["point"]
    assert list(tmp_path.iterdir()) == []
