"""Runs of the embedded model, made small enough that a test takes seconds, as real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SMALL = [
    "tracker=none",
    "dataset.sft.take=400",
    "sft.steps=20",
    "sft.batch_size=64",
    "sft.micro_batch_size=64",
    "sft.save_steps=4",
    "grpo.steps=8",
    "grpo.batch_size=32",
    "grpo.micro_batch_size=32",
    "grpo.save_steps=2",
    "reward=lenient",
    "eval.questions=40",
    "eval.samples=2",
    "engine.batch_size=16",
]
"""The embedded model with few steps; the lenient reward gives GRPO something to learn from a barely trained model."""


class Outputs:
    """An outputs folder and the commands that fill it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def command(self, overrides: Sequence[str]) -> list[str]:
        """The command line of a small run."""
        return [sys.executable, "-m", "exp.train", f"outputs={self.folder}", *SMALL, *overrides]

    def start(self, *overrides: str) -> subprocess.Popen[str]:
        """Start a small run and return at once."""
        return subprocess.Popen(
            self.command(overrides),
            cwd="/",
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *overrides: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a small run to its end and check its exit status."""
        process = self.start(*overrides)
        out, err = process.communicate(timeout=300)
        assert process.returncode == status, f"exit status {process.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def runs(self) -> list[Path]:
        """Run folders, oldest first."""
        return sorted((self.folder / "runs").glob("2*"))

    def result(self) -> dict[str, Any]:
        """`result.json` of the newest run."""
        content: dict[str, Any] = json.loads((self.runs()[-1] / "result.json").read_text())
        return content

    def artifacts(self) -> dict[str, int]:
        """Every finished artifact and when its manifest was written."""
        found = (self.folder / "store").glob("*/*/manifest.json")
        return {f"{f.parent.parent.name}/{f.parent.name}": f.stat().st_mtime_ns for f in found}
