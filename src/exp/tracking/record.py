"""The record of a run: metrics and completions on disk, told to every listener (terminal, W&B) as they are written."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol


class Listener(Protocol):
    """Somebody who follows a run."""

    def started(self, stage: str, total: int, done: int) -> None:
        """A stage of `total` steps (0 if unknown) starts, or resumes after `done` of them."""

    def metrics(self, row: dict[str, Any]) -> None:
        """A row of `metrics.jsonl`."""

    def progress(self, stage: str, done: int) -> None:
        """`done` steps of a stage are over."""

    def completions(self, stage: str, rows: Sequence[dict[str, Any]]) -> None:
        """Completions with their verdicts."""

    def ended(self, stage: str, reused: bool, seconds: float) -> None:
        """A stage is done."""

    def say(self, text: str) -> None:
        """A remark."""


class Record:
    """Appends rows to a stage's own files and to the run's `metrics.jsonl`."""

    def __init__(self, run_metrics: Path, listeners: Sequence[Listener] = ()) -> None:
        self.run_metrics = run_metrics
        self.listeners = list(listeners)

    def started(self, stage: str, total: int = 0, done: int = 0) -> None:
        """Tell that a stage starts or resumes."""
        for listener in self.listeners:
            listener.started(stage, total, done)

    def resumed(self, stage: str, folder: Path, done: int) -> None:
        """Make the run's `metrics.jsonl` agree with the stage's own, which ends where the stage resumes."""
        others = [line for line in _lines(self.run_metrics) if json.loads(line)["stage"] != stage]
        temporary = self.run_metrics.with_suffix(".new")
        temporary.write_text("".join([*others, *_lines(folder / "metrics.jsonl")]), encoding="utf-8")
        temporary.replace(self.run_metrics)

    def progress(self, stage: str, done: int) -> None:
        """Tell how far a stage is."""
        for listener in self.listeners:
            listener.progress(stage, done)

    def ended(self, stage: str, reused: bool, seconds: float) -> None:
        """Tell that a stage is done."""
        for listener in self.listeners:
            listener.ended(stage, reused, seconds)

    def say(self, text: str) -> None:
        """Tell a remark."""
        for listener in self.listeners:
            listener.say(text)

    def metrics(self, folder: Path, stage: str, step: int, values: dict[str, float]) -> None:
        """Write one row of numbers."""
        row = {"stage": stage, "step": step, "time": round(time.time(), 3), **values}
        _append(folder / "metrics.jsonl", [row])
        _append(self.run_metrics, [row])
        for listener in self.listeners:
            listener.metrics(row)

    def completions(self, folder: Path, stage: str, rows: Sequence[dict[str, Any]]) -> None:
        """Write completions with their verdicts."""
        _append(folder / "completions.jsonl", rows)
        for listener in self.listeners:
            listener.completions(stage, rows)


def _append(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with path.open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _lines(path: Path) -> list[str]:
    """Whole lines; an unfinished last one, left by a crash, is not among them."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [line for line in lines if line.endswith("\n")]
