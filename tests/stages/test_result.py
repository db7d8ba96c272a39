"""`result.json`: what a run found, put together from the artifacts of its steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exp.stages.plan import Step
from exp.stages.result import comparisons, result, stages
from exp.stages.store import Artifact

RIGHT, WRONG = "right", "wrong"


def finished(
    name: str, folder: Path, reused: bool = False, seconds: float = 2.0, **facts: Any
) -> tuple[Step, Artifact]:
    stage = name.partition(":")[0]
    manifest = {"identity": f"id-{name}", "seconds": seconds, "facts": facts}
    return Step(name, stage, f"id-{name}", {}), Artifact(folder, manifest, reused)


def answers(folder: Path, verdicts: dict[str, str]) -> Path:
    """A folder of an evaluation's completions: greedy ones as given, and sampled ones that must not count."""
    folder.mkdir()
    rows = [{"id": key, "mode": "greedy", "verdict": verdict} for key, verdict in verdicts.items()]
    rows += [{"id": key, "mode": "sampled", "verdict": WRONG} for key in verdicts]
    (folder / "completions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def whole(tmp_path: Path) -> list[tuple[Step, Artifact]]:
    base = answers(tmp_path / "base", {"a": WRONG, "b": WRONG, "c": RIGHT})
    sft = answers(tmp_path / "sft", {"a": RIGHT, "b": WRONG, "c": WRONG})
    grpo = answers(tmp_path / "grpo", {"a": RIGHT, "b": RIGHT, "c": RIGHT})
    return [
        finished("data:rl", tmp_path, reused=True, seconds=1.0, kept=10),
        finished("data:eval", tmp_path, seconds=1.5, kept=3),
        finished("eval:base", base, accuracy=1 / 3),
        finished("sft", tmp_path, seconds=4.0),
        finished("eval:sft", sft, accuracy=1 / 3),
        finished("grpo", tmp_path, reused=True, seconds=5.0),
        finished("grpo:2", tmp_path, reused=True, seconds=6.0),
        finished("eval:grpo", grpo, accuracy=1.0),
    ]


def test_a_result_holds_run_stages_evaluations_comparisons_and_data(whole: list[tuple[Step, Artifact]]) -> None:
    content = result("run-name", "point-id", whole, [], 12.34)
    assert (content["run"], content["point"], content["seconds"]) == ("run-name", "point-id", 12.3)
    assert set(content["stages"]) == {"data", "eval", "sft", "grpo"}
    assert content["eval"]["grpo"] == {"accuracy": 1.0, "seconds": 2.0}
    assert content["data"] == {"rl": {"kept": 10}, "eval": {"kept": 3}}
    assert set(content["comparisons"]) == {"sft_vs_base", "grpo_vs_sft", "grpo_vs_base"}
    json.dumps(content, allow_nan=False)


def test_a_stage_of_one_artifact_has_its_identity_and_time(whole: list[tuple[Step, Artifact]]) -> None:
    assert stages(whole, [])["sft"] == {"id": "id-sft", "seconds": 4.0, "status": "done", "reused": False}


def test_a_stage_of_several_artifacts_has_the_last_identity_and_all_parts(whole: list[tuple[Step, Artifact]]) -> None:
    found = stages(whole, [])
    assert (found["grpo"]["id"], found["grpo"]["seconds"], found["grpo"]["reused"]) == ("id-grpo:2", 11.0, True)
    assert list(found["grpo"]["parts"]) == ["1", "2"]
    assert list(found["data"]["parts"]) == ["rl", "eval"]
    assert found["data"]["reused"] is False


def test_a_stage_that_is_off_says_so(whole: list[tuple[Step, Artifact]]) -> None:
    without = [(step, artifact) for step, artifact in whole if step.stage != "grpo"]
    assert stages(without, ["grpo"])["grpo"] == {"status": "off"}


def test_greedy_answers_are_compared_question_by_question(whole: list[tuple[Step, Artifact]]) -> None:
    content = result("run", "point", whole, [], 1.0)["comparisons"]["grpo_vs_sft"]
    assert (content["wins"], content["losses"], content["n"]) == (2, 0, 3)
    assert content["difference"] == pytest.approx(2 / 3)


def test_only_questions_that_both_answered_are_compared(tmp_path: Path) -> None:
    base = answers(tmp_path / "base", {"a": WRONG, "b": RIGHT})
    sft = answers(tmp_path / "sft", {"b": RIGHT, "c": RIGHT})
    assert comparisons({"base": base, "sft": sft})["sft_vs_base"]["n"] == 1
    grpo = answers(tmp_path / "grpo", {"z": RIGHT})
    assert comparisons({"base": base, "grpo": grpo}) == {}
    assert comparisons({"base": base}) == {}
