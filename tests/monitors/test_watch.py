"""Alerts are told once, survive a resume, and come along with a reused artifact."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.monitors.stream import STEPS, Step, formed, point, rows_written, stream

from exp.monitors import watch
from exp.monitors.alert import Alert, read_alerts
from exp.monitors.monitor import Monitor
from exp.monitors.watch import Monitors

Rows = list[tuple[list[dict[str, Any]], dict[str, Any]]]


def policy(step: Step) -> str:
    """Learns that any form pays, from step 30 on."""
    text = formed(step.prose(30), step.answer(0.3))
    return f"{text}<answer>1</answer>" if step.chance(2 * (step.progress - 0.3)) else text


@pytest.fixture(scope="module")
def rows() -> Rows:
    return list(stream(policy))


class Process:
    """A process that executes a run and may end at any step, as the stage's files then show."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.artifact = folder / "artifacts" / "grpo"
        self.artifact.mkdir(parents=True, exist_ok=True)
        self.heard: list[Alert] = []
        self.monitors = Monitors(point(), folder, self.heard.append)

    def train(self, rows: Rows, begin: int, end: int) -> list[Alert]:
        kept = {
            "completions": [completion for batch, _ in rows[:begin] for completion in batch],
            "metrics": [metrics for _, metrics in rows[:begin]],
        }
        for name, lines in kept.items():
            (self.artifact / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.monitors.started("grpo", STEPS, begin)
        for completions, metrics in rows[begin:end]:
            self.monitors.completions("grpo", completions)
            self.monitors.metrics(metrics)
        return self.heard


def facts(alerts: list[Alert]) -> list[tuple[str, int, float]]:
    return [(alert.monitor, alert.step, alert.degree) for alert in alerts]


def test_alerts_are_kept_in_the_run_and_in_the_artifact_as_they_are_told(tmp_path: Path, rows: Rows) -> None:
    heard = Process(tmp_path).train(rows, 0, STEPS)
    assert heard and read_alerts(tmp_path) == read_alerts(tmp_path / "artifacts" / "grpo") == heard
    assert set(rows_written(tmp_path)[0]) >= {"monitor", "stage", "step", "severity", "what", "evidence", "advice"}


def test_an_alert_is_told_again_only_when_it_is_twice_as_bad(tmp_path: Path, rows: Rows) -> None:
    degrees: dict[tuple[str, str], list[float]] = {}
    for alert in Process(tmp_path).train(rows, 0, STEPS):
        degrees.setdefault((alert.monitor, alert.about), []).append(alert.degree)
    assert degrees
    for told in degrees.values():
        assert all(after >= 2 * before for before, after in pairwise(told))


@pytest.mark.parametrize("done", [20, 40, 60])
def test_a_resumed_run_tells_what_an_undisturbed_one_tells_and_nothing_twice(
    tmp_path: Path, rows: Rows, done: int
) -> None:
    whole = facts(Process(tmp_path / "whole").train(rows, 0, STEPS))
    parts = facts(Process(tmp_path / "parts").train(rows, 0, done + 5))
    parts += facts(Process(tmp_path / "parts").train(rows, done, STEPS))
    assert parts == whole


def test_an_alert_lost_between_the_rows_and_its_file_is_told_on_resume(tmp_path: Path, rows: Rows) -> None:
    first = Process(tmp_path).train(rows, 0, 60)
    for file in tmp_path.rglob("alerts.jsonl"):
        file.unlink()
    assert facts(Process(tmp_path).train(rows, 60, 60)) == facts(first)


def test_a_reused_artifact_tells_its_alerts_in_the_new_run_once(tmp_path: Path, rows: Rows) -> None:
    first = Process(tmp_path / "first").train(rows, 0, STEPS)
    second = Process(tmp_path / "second")
    (second.artifact / "alerts.jsonl").write_text((tmp_path / "first" / "alerts.jsonl").read_text())
    for _ in range(2):
        second.monitors.ended("grpo", reused=True, seconds=0.0)
    assert second.heard == first == read_alerts(second.folder)


def test_a_monitor_that_fails_is_told_and_switched_off_and_the_others_go_on(
    tmp_path: Path, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Monitor):
        def metrics(self, row: Any) -> Any:
            raise KeyError("nothing")

    monkeypatch.setitem(watch.MONITORS, "broken", Broken)
    heard = Process(tmp_path).train(rows, 0, STEPS)
    broken = [alert for alert in heard if alert.monitor == "broken"]
    assert len(broken) == 1 and "KeyError" in broken[0].what
    assert len(heard) > 1


def test_stages_that_nobody_watches_are_left_alone(tmp_path: Path, rows: Rows) -> None:
    process = Process(tmp_path)
    process.monitors.started("eval:base", 0, 0)
    process.monitors.completions("eval:base", [{"id": "a", "completion": "b"}])
    assert process.heard == []
