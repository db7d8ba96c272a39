"""The command line of `python -m exp.train`: what is wrong is refused at once, and nothing is created."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml


def train(here: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "exp.train", *words]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(here / "no cache")}
    return subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["modl=tiny"], ["did you mean model?", "fix: model=tiny"]),
        (["grpo.lerning_rate=1e-5"], ["fix: grpo.learning_rate=1e-5"]),
        (["model=qwen8"], ["fix: model=qwen8b"]),
        (["context=6"], ["fix: context=6k"]),
        (["format.reasoning_open=<think>"], ["""fix: 'format.reasoning_open="<think>"'"""]),
        (["format.system_prompt=\\boxed{}"], ["""fix: 'format.system_prompt="\\boxed{}"'"""]),
        (["label=a,b"], ["""fix: 'label="a,b"'"""]),
        (["label=a=b"], ["""fix: 'label="a=b"'"""]),
        (["lora=r8,r16"], ["fix: -m lora=r8,r16"]),
        (["words"], ["'words' is not an override"]),
        (["grpo.steps=many", "lora.rank=-1"], ["2 problems", "grpo.steps (command line)", "lora.rank (command line)"]),
        (["dataset=jsonl"], ["dataset.path (conf/dataset/jsonl.yaml): must be given"]),
        (["generations.num_generations=3"], ["groups of 3", "fix: generations.num_generations=2"]),
        (["model=qwen8b", "reward=strict"], ["Qwen/Qwen3-8B", "HF_TOKEN"]),
        (["model.path=nowhere"], ["there is no folder 'nowhere'"]),
        (["modl=tiny", "lora=16", "label=a=b", "seed=1"], ["3 problems"]),
    ],
)
def test_a_mistake_is_refused_with_status_2_and_nothing_is_created(
    tmp_path: Path, words: list[str], said: list[str]
) -> None:
    done = train(tmp_path, *words)
    assert done.returncode == 2
    for text in said:
        assert text in done.stderr
    assert "nothing was run" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_the_configuration_is_shown_without_running(tmp_path: Path) -> None:
    done = train(tmp_path, "--cfg", "job", "lora=r8", "grpo.epsilon_high=0.3")
    content = yaml.safe_load(done.stdout)
    assert done.returncode == 0
    assert (content["lora"]["rank"], content["grpo"]["epsilon_high"]) == (8, 0.3)
    assert list(tmp_path.iterdir()) == []


def test_help_names_groups_options_and_switches(tmp_path: Path) -> None:
    done = train(tmp_path, "--help")
    assert done.returncode == 0
    for word in ("qwen8b", "short_to_long", "--multirun", "--config-dir", "exp plan"):
        assert word in done.stdout


def test_an_unknown_switch_is_refused(tmp_path: Path) -> None:
    done = train(tmp_path, "--hlep")
    assert done.returncode == 2
    assert "--hlep" in done.stderr
    assert "Traceback" not in done.stderr


def test_options_come_from_a_folder_of_ones_own_too(tmp_path: Path) -> None:
    (tmp_path / "own" / "lora").mkdir(parents=True)
    (tmp_path / "own" / "lora" / "mine.yaml").write_text("rank: 3\n")
    shown = train(tmp_path, "--config-dir", "own", "--cfg", "job", "lora=mine")
    assert yaml.safe_load(shown.stdout)["lora"] == {"rank": 3}
    assert train(tmp_path, "--cfg", "job", "lora=mine").returncode == 2


def test_outputs_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = train(tmp_path, "outputs=file", "tracker=none")
    assert done.returncode == 2
    assert "cannot write to file/runs: Not a directory" in done.stderr
    assert "Traceback" not in done.stderr
