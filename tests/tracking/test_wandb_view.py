"""W&B shows what the record holds: the real client, offline, its files read back with its own command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from exp.config.compose import compose_point
from exp.config.point import Point
from exp.tracking.wandb_view import TABLE_COLUMNS, WandbView, choose_mode

ROW = dict.fromkeys(TABLE_COLUMNS, "text")


@pytest.fixture
def point(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Point:
    """The default point, with everything W&B writes kept below the test's folder and no key in reach."""
    for name in ("WANDB_API_KEY", "WANDB_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "no-netrc"))
    monkeypatch.setenv("WANDB_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WANDB_CACHE_DIR", str(tmp_path / "cache"))
    return compose_point(["tracker=wandb"])


def history(folder: Path) -> list[dict[str, Any]]:
    """Everything logged in all offline parts of a run, oldest first."""
    rows = []
    for part in sorted((folder / "wandb").glob("offline-run-*")):
        command = [str(Path(sys.executable).parent / "wandb"), "leet", "inspect", "--json", str(part)]
        output = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
        records = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        rows += [record["history"]["item"] for record in records if record.get("type") == "history"]
    return rows


def steps(rows: list[dict[str, Any]], stage: str) -> list[int]:
    """The stage's own step of each row that belongs to it."""
    return [row[f"{stage}/step"] for row in rows if f"{stage}/step" in row]


def test_every_metric_reaches_wandb_under_its_stage(point: Point, tmp_path: Path) -> None:
    view = WandbView(point, tmp_path)
    view.started("sft", 2, 0)
    view.metrics({"stage": "sft", "step": 1, "time": 1.0, "loss": 2.5})
    view.metrics({"stage": "sft", "step": 2, "time": 2.0, "loss": 2.0})
    view.completions("grpo", [{**ROW, "step": 20}])
    view.alert("cut_off", "half of the answers are cut off", urgent=True)
    view.close()
    rows = history(tmp_path)
    assert [(row["sft/step"], row["sft/loss"]) for row in rows if "sft/step" in row] == [(1, 2.5), (2, 2.0)]
    assert [row["grpo/completions.nrows"] for row in rows if "grpo/completions.nrows" in row] == [1]


def test_a_resumed_run_is_the_same_wandb_run_and_repeats_no_step(point: Point, tmp_path: Path) -> None:
    for first, last in ((1, 5), (4, 8)):  # the second process repeats steps 4 and 5, which follow its checkpoint
        view = WandbView(point, tmp_path)
        view.started("sft", 8, first - 1)
        for step in range(first, last + 1):
            view.metrics({"stage": "sft", "step": step, "time": 0.0, "loss": 1.0 / step})
        view.close()
    assert steps(history(tmp_path), "sft") == [1, 2, 3, 4, 5, 6, 7, 8]
    logs = [row["_step"] for row in history(tmp_path)]
    assert logs == sorted(set(logs)), "the parts join without overlap"
    runs = [file.name for file in (tmp_path / "wandb").glob("offline-run-*/run-*.wandb")]
    assert runs == [f"run-{tmp_path.name}.wandb"] * 2, "one id for both parts"


def test_a_failure_of_wandb_ends_the_view_and_not_the_run(point: Point, tmp_path: Path) -> None:
    said: list[str] = []
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    view = WandbView(point, blocked, said.append)
    view._run.finish()
    for step in (1, 2):
        view.metrics({"stage": "sft", "step": step, "time": 0.0, "loss": object()})
    view.close()
    assert len([text for text in said if "the run goes on" in text]) == 1


def test_the_state_file_is_replaced_in_one_piece(point: Point, tmp_path: Path) -> None:
    view = WandbView(point, tmp_path)
    view.started("sft", 2, 0)
    view.metrics({"stage": "sft", "step": 1, "time": 0.0, "loss": 1.0})
    view.close()
    left = list(tmp_path.glob("*.json"))
    assert [json.loads(file.read_text()) for file in left] == [{"sft": 1, "logs": 1}], (
        "replaced in one piece, never half written"
    )


@pytest.mark.parametrize(
    ("wish", "environment", "mode"),
    [
        ("auto", {}, "offline"),
        ("auto", {"WANDB_API_KEY": "secret"}, "online"),
        ("auto", {"WANDB_MODE": "disabled", "WANDB_API_KEY": "secret"}, "disabled"),
        ("offline", {"WANDB_API_KEY": "secret"}, "offline"),
        ("online", {}, "online"),
    ],
)
def test_wandb_is_online_only_where_a_key_is_found_or_it_was_asked_for(
    wish: str, environment: dict[str, str], mode: str, point: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert choose_mode(wish) == mode


def test_a_key_in_netrc_counts(point: Point, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine api.wandb.ai\n  login user\n  password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    assert choose_mode("auto") == "online"


def test_no_secret_is_written_into_the_run_folder(
    point: Point, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "0123456789abcdef0123456789abcdef01234567")
    monkeypatch.setenv("WANDB_MODE", "offline")
    folder = tmp_path / "run"
    folder.mkdir()
    view = WandbView(point, folder)
    view.metrics({"stage": "sft", "step": 1, "time": 0.0, "loss": 1.0})
    view.close()
    written = [file for file in folder.rglob("*") if file.is_file()]
    assert written
    assert not [f for f in written if b"0123456789abcdef0123456789abcdef01234567" in f.read_bytes()]
