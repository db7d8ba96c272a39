"""`python -m exp VERB`: verbs are found and explained, and a user's mistake ends with status 2 and no traceback."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from exp.__main__ import VERBS, main


def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "exp", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",), ("help",)])
def test_help_lists_every_verb(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["exp", *words])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    shown = capsys.readouterr().out
    assert [verb for verb in VERBS if f"\n  {verb} " not in shown] == []


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_module_that_explains_itself(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = importlib.import_module(VERBS[verb][0]).main(["--help"])
    except SystemExit as end:
        status = end.code
    assert status in (0, None)
    assert "usage" in capsys.readouterr().out.lower()


def test_a_misspelt_verb_is_met_with_the_right_one() -> None:
    done = run("plann")
    assert done.returncode == 2
    assert "did you mean `exp plan`?" in done.stderr
    assert done.stdout == ""


def test_a_mistake_ends_with_status_2_and_no_traceback(tmp_path: Path) -> None:
    done = run("plan", "modl=tiny", "lora=16", cwd=tmp_path)
    assert done.returncode == 2
    assert "2 problems, nothing was run" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_leaves_is_no_failure_to_tell(tmp_path: Path) -> None:
    command = f"{sys.executable} -m exp fields | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stderr
    assert len(done.stdout.splitlines()) == 1
