"""What the terminal shows while a run goes on."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from exp.views import progress
from exp.views.progress import Terminal

ROW = {"question": "2+2?", "gold": "4", "completion": "4", "extracted": "4", "verdict": "right"}


def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **row: Any) -> str:
    """What is printed when a stage starts, logs once, shows one completion and ends."""
    monkeypatch.setattr(progress, "SAMPLE_EVERY", -1.0)
    monkeypatch.setattr(progress, "LINE_EVERY", -1.0)
    stream = io.StringIO()
    terminal = Terminal(stream, tmp_path, [])
    terminal.started("grpo", 10, 0)
    terminal.metrics({"stage": "grpo", "step": 1, "reward": 0.5, "accuracy": 0.25, "cut_off": 0.125})
    terminal.progress("grpo", 1)
    terminal.completions("grpo", [{**ROW, **row}])
    terminal.ended("grpo", False, 75.0)
    terminal.close()
    return stream.getvalue()


def test_a_piped_run_tells_progress_numbers_a_sample_and_the_time_it_took(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = shown(monkeypatch, tmp_path)
    assert "grpo: 1 of 10" in text and "left" in text
    assert "reward 0.50" in text and "right 25%" in text and "cut off 12%" in text
    assert "[right: '4', expected '4']" in text
    assert "done in 1 min 15 s" in text
    assert "\x1b" not in text


def test_what_a_model_writes_cannot_command_the_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = shown(monkeypatch, tmp_path, completion="\x1b]0;owned\x07\x1b[2J [bold]x", question="\x1b[31m?")
    assert "\x1b" not in text and "\x07" not in text
    assert "[bold]x" in text


def test_a_reused_stage_says_so(tmp_path: Path) -> None:
    stream = io.StringIO()
    terminal = Terminal(stream, tmp_path, [])
    terminal.ended("sft", True, 0.0)
    terminal.close()
    assert "already there, reused" in stream.getvalue()
