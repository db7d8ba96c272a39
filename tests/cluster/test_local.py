"""Sweeps on this machine: every point is checked before any runs, and equal points are one point."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A working directory with a folder that looks like a model until something loads it."""
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.json").write_text("{}")
    (tmp_path / "base" / "model.safetensors").write_text("weights")
    return tmp_path


def sweep(here: Path, *words: str, verb: str = "exp.train") -> subprocess.CompletedProcess[str]:
    """A sweep whose points cannot start, because their outputs lie below a file."""
    options = ["model.path=base", "outputs=base/config.json", "tracker=none"]
    start = ["-m", *options] if verb == "exp.train" else []
    command = [sys.executable, "-m", verb, *start, *words, *([] if start else options)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    return subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, timeout=300)


def files(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*")}


def test_a_problem_in_one_point_keeps_all_from_running_and_all_problems_are_listed(here: Path) -> None:
    before = files(here)
    done = sweep(here, "generations.num_generations=4,3,5", "lora=r8,r16")
    assert done.returncode == 2
    assert "4 problems, nothing was run" in done.stderr
    assert "Traceback" not in done.stderr
    for lora in ("r8", "r16"):
        for size in (3, 5):
            assert f"generations.num_generations={size} lora={lora}]: " in done.stderr
    assert "num_generations=4 lora=r8]" not in done.stderr
    assert done.stdout == ""
    assert files(here) == before


def test_wrong_types_missing_models_and_broken_rules_are_listed_together(here: Path) -> None:
    done = sweep(here, "grpo.steps=many,5", "grpo.batch_size=64", "model.path=base,nowhere", "sft.batch_size=0,32")
    assert done.returncode == 2
    for words in ("grpo.steps (command line)", "sft.batch_size (command line)", "there is no folder 'nowhere'"):
        assert words in done.stderr


def test_equal_points_are_one_and_each_failure_is_told_at_the_end(here: Path) -> None:
    before = files(here)
    done = sweep(here, "lora.rank=16,8,16", "lora=r32,r16")
    assert "2 points" in done.stdout
    assert "8 shared" not in done.stdout
    assert done.stdout.count("\n[") == 2
    assert done.stderr.count("failed with status 2") == 2
    assert done.stderr.count("cannot write to") == 2
    assert done.returncode == 2
    assert files(here) == before


def test_steps_that_points_share_are_counted(here: Path) -> None:
    done = sweep(here, "generations=g4,g8", "sft=default", "context=1k", "model.architecture.max_positions=2048")
    # Both points prepare the same rows, measure the same base model, and train and measure the same SFT model.
    assert "2 points, 10 steps, 6 of 16 shared with an earlier point" in done.stdout


def test_a_value_in_quotes_is_one_value_of_the_sweep(here: Path) -> None:
    done = sweep(here, 'format.reasoning_open="<a,b>","<c=d>"')
    assert "2 points" in done.stdout
    assert done.stderr.count("failed with status 2") == 2


def test_a_pattern_stands_for_the_options_that_fit_it(here: Path) -> None:
    done = sweep(here, "generations=glob(g*)", "grpo.batch_size=64")
    assert "4 points" in done.stdout


def test_a_wrong_word_is_refused_before_anything_is_composed(here: Path) -> None:
    done = sweep(here, "lora=r8,16", "modl=tiny")
    assert done.returncode == 2
    assert "lora=r16" in done.stderr
    assert "did you mean model?" in done.stderr


def test_a_study_runs_as_the_same_sweep(here: Path) -> None:
    (here / "mine.yaml").write_text("overrides: [sft=none]\naxes: {lora: [r8, r16]}\n")
    done = sweep(here, "sweep", "mine.yaml", verb="exp")
    assert "2 points" in done.stdout
    assert "lora=r8" in done.stdout
    assert done.returncode == 2


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 75), (signal.SIGINT, 130)])
def test_a_signal_to_the_sweep_reaches_its_point_and_no_other_point_starts(
    number: signal.Signals, status: int, tmp_path: Path
) -> None:
    words = ["-m", "tracker=none", "eval=none", "grpo=none", "sft.steps=400", "sft.batch_size=8", "seed=1,2"]
    command = [sys.executable, "-m", "exp.train", f"outputs={tmp_path}", *words]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    sweep = subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while sweep.poll() is None and not list(tmp_path.glob("store/sft/*.partial/metrics.jsonl")):
        time.sleep(0.05)
    sweep.send_signal(number)
    out, err = sweep.communicate(timeout=120)
    assert sweep.returncode == status, out + err
    assert len(list(tmp_path.glob("runs/2*"))) == 1
    assert "The sweep stopped here" in out
