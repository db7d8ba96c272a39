"""The listener that feeds the monitors while a run goes on and tells each alert once, also across a resume."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from exp.config.point import Point
from exp.monitors.alert import ALERTS, Alert, Finding, alert_of, read_alerts
from exp.monitors.monitor import Monitor, groups_of, setting_of
from exp.monitors.table import MONITORS

WORSE = 2.0
"""An alert is told again when its degree has grown by this factor."""
_RANK = {"note": 0, "warning": 1}


class Monitors:
    """A listener of the record.

    Alerts are appended to `alerts.jsonl` of the stage's artifact and of the run's folder, then given to `tell`. A
    resumed stage's monitors are first fed what its files hold; a reused stage's alerts are told from its artifact.
    """

    def __init__(self, point: Point, folder: Path, tell: Callable[[Alert], None]) -> None:
        self._point = point
        self._folder = folder
        self._tell = tell
        self._monitors: dict[str, dict[str, Monitor]] = {}
        self._told: dict[tuple[str, str, str], Alert] = {}
        for alert in read_alerts(folder):
            self._remember(alert)

    def started(self, stage: str, total: int, done: int) -> None:
        """Set up a stage's monitors, and bring them to where the stage resumes."""
        for alert in read_alerts(self._artifact(stage)):
            self._remember(alert)
        setting = setting_of(self._point, total)
        kind = stage.partition(":")[0]
        self._monitors[stage] = {name: new(setting) for name, new in MONITORS.items() if kind in new.stages}
        if done and self._monitors[stage]:
            self._replay(stage)

    def metrics(self, row: dict[str, Any]) -> None:
        """Feed a row of metrics."""
        stage = row["stage"]
        for name, monitor in list(self._monitors.get(stage, {}).items()):
            self._feed(partial(monitor.metrics, row), name, stage, row["step"])

    def completions(self, stage: str, rows: Sequence[dict[str, Any]]) -> None:
        """Feed a batch of completions."""
        monitors = self._monitors.get(stage, {})
        if not rows or not monitors:
            return
        step, groups = rows[0]["step"], groups_of(rows, self._point.generations.num_generations)
        for name, monitor in list(monitors.items()):
            self._feed(partial(monitor.completions, step, groups), name, stage, step)

    def progress(self, stage: str, done: int) -> None:
        """Nothing: monitors follow numbers and texts."""

    def ended(self, stage: str, reused: bool, seconds: float) -> None:
        """Forget the stage's monitors; tell what was found when a reused artifact was made."""
        self._monitors.pop(stage, None)
        if not reused:
            return
        for alert in read_alerts(self._artifact(stage)):
            if not self._is_known(alert):
                self._remember(alert)
                _append(self._folder, alert)
                self._tell(alert)

    def say(self, text: str) -> None:
        """Nothing: remarks are for terminals."""

    def _artifact(self, stage: str) -> Path:
        return self._folder / "artifacts" / stage.replace(":", "_")

    def _replay(self, stage: str) -> None:
        """Feed the rows that the stage's files hold, in the order in which they were written."""
        completions = _rows(self._artifact(stage) / "completions.jsonl")
        batch: list[dict[str, Any]] = []
        waiting = next(completions, None)
        for row in _rows(self._artifact(stage) / "metrics.jsonl"):
            # The completions of a step are written before its metrics.
            while waiting is not None and waiting["step"] <= row["step"]:
                if batch and batch[0]["step"] != waiting["step"]:
                    self.completions(stage, batch)
                    batch = []
                batch.append(waiting)
                waiting = next(completions, None)
            self.completions(stage, batch)
            batch = []
            self.metrics(row)

    def _feed(self, look: Callable[[], list[Finding]], monitor: str, stage: str, step: int) -> None:
        try:
            findings = look()
        except Exception as error:  # a watcher's own defect must not end hours of training; it is told like any alert
            del self._monitors[stage][monitor]
            what = f"the monitor itself failed and is off ({type(error).__name__}: {error})"
            findings = [Finding(what, "Training goes on; please report this defect.", about="failed")]
        self._hear(findings, monitor, stage, step)

    def _hear(self, findings: Sequence[Finding], monitor: str, stage: str, step: int) -> None:
        for finding in findings:
            alert = alert_of(finding, monitor, stage, step)
            if self._is_known(alert):
                continue
            self._remember(alert)
            for folder in (self._artifact(stage), self._folder):
                _append(folder, alert)
            self._tell(alert)

    def _is_known(self, alert: Alert) -> bool:
        """Whether this was told before, as badly."""
        told = self._told.get((alert.stage, alert.monitor, alert.about))
        if told is None or _RANK[alert.severity] > _RANK[told.severity]:
            return False
        return alert.degree < WORSE * told.degree or _RANK[alert.severity] < _RANK[told.severity]

    def _remember(self, alert: Alert) -> None:
        key = (alert.stage, alert.monitor, alert.about)
        told = self._told.get(key)
        if told is None or (_RANK[alert.severity], alert.degree) > (_RANK[told.severity], told.degree):
            self._told[key] = alert


def _append(folder: Path, alert: Alert) -> None:
    with (folder / ALERTS).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(alert.as_row(), ensure_ascii=False) + "\n")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a JSONL file, none if it is absent; an unfinished last line, left by a crash, is not a row."""
    if path.exists():
        with path.open(encoding="utf-8") as stream:
            yield from (json.loads(line) for line in stream if line.endswith("\n"))
