"""Run folders: every run has its own, an unfinished one is continued, a finished one is never touched again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from exp.errors import Refused
from exp.stages.run import open_folder, read_state, sole_owner, write_state

POINT = "0123456789abcdef"

CLAIM = """
import sys
from pathlib import Path
from exp.errors import Refused
from exp.stages.run import open_folder, sole_owner, write_state

print("ready", flush=True)
sys.stdin.readline()
folder = open_folder(Path(sys.argv[1]), sys.argv[2], "words")
try:
    with sole_owner(folder):
        print("owns", folder, flush=True)
        sys.stdin.readline()
except Refused:
    print("refused", folder, flush=True)
"""

OWN = """
import sys
from pathlib import Path
from exp.stages.run import sole_owner

with sole_owner(Path(sys.argv[1])):
    print("owned", flush=True)
    sys.stdin.readline()
"""


def start(code: str, *words: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def test_a_new_run_has_a_folder_named_by_time_words_and_point(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, POINT, "qwen8b-strict")
    assert folder.parent == tmp_path / "runs"
    assert folder.name.endswith("-qwen8b-strict-01234567")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("state", ["running", "failed", "interrupted"])
def test_an_unfinished_run_is_continued_in_its_folder(tmp_path: Path, state: str) -> None:
    folder = open_folder(tmp_path, POINT, "words")
    write_state(folder, state)
    assert open_folder(tmp_path, POINT, "other-words") == folder


def test_a_finished_run_is_not_touched_again(tmp_path: Path) -> None:
    finished = open_folder(tmp_path, POINT, "words")
    write_state(finished, "done")
    content = (finished / "status.json").read_text()
    again = open_folder(tmp_path, POINT, "words")
    assert again != finished
    assert (finished / "status.json").read_text() == content


def test_another_point_has_another_folder(tmp_path: Path) -> None:
    assert open_folder(tmp_path, POINT, "words") != open_folder(tmp_path, "f" * 16, "words")


def test_a_run_says_in_which_state_it_is(tmp_path: Path) -> None:
    assert read_state(tmp_path) == ""
    write_state(tmp_path, "failed", reason="why")
    assert read_state(tmp_path) == "failed"
    assert json.loads((tmp_path / "status.json").read_text())["reason"] == "why"


def claims(outputs: Path, points: Sequence[str]) -> list[tuple[str, str]]:
    """What each of many processes that start in the same moment gets: `owns` or `refused`, and a folder."""
    processes = [start(CLAIM, outputs, point) for point in points]
    try:
        for process in processes:
            assert line(process) == "ready"
        for process in processes:
            tell(process)
        answers = [line(process).split(" ", 1) for process in processes]
        return [(word, folder) for word, folder in answers]
    finally:
        for process in processes:
            process.communicate(timeout=60)


@pytest.mark.slow
def test_twenty_points_started_in_the_same_second_have_a_folder_each(tmp_path: Path) -> None:
    found = claims(tmp_path, [f"{number:08d}abcdefab" for number in range(20)])
    assert {word for word, _ in found} == {"owns"}
    assert len({folder for _, folder in found}) == 20


@pytest.mark.slow
def test_one_point_started_twenty_times_in_the_same_second_is_run_once(tmp_path: Path) -> None:
    found = claims(tmp_path, [POINT] * 20)
    assert sorted(word for word, _ in found) == ["owns"] + ["refused"] * 19
    assert len({folder for _, folder in found}) == 1


def test_finished_runs_of_one_point_in_the_same_second_have_a_folder_each(tmp_path: Path) -> None:
    folders = set()
    for _ in range(3):
        folder = open_folder(tmp_path, POINT, "words")
        write_state(folder, "done")
        folders.add(folder)
    assert len(folders) == 3


def test_a_run_that_another_process_executes_is_refused_with_its_number(tmp_path: Path) -> None:
    with start(OWN, tmp_path) as owner:
        assert line(owner) == "owned"
        with pytest.raises(Refused, match=f"being run already .pid {owner.pid} on"), sole_owner(tmp_path):
            pytest.fail("the run was executed twice")
        owner.communicate("go\n", timeout=60)
    with sole_owner(tmp_path):
        pass


def test_a_killed_owner_does_not_keep_its_run(tmp_path: Path) -> None:
    with start(OWN, tmp_path) as owner:
        assert line(owner) == "owned"
        owner.kill()
        owner.wait(timeout=60)
    with sole_owner(tmp_path):
        pass


def test_outputs_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refused, match="cannot write to") as refused:
        open_folder(tmp_path / "file", POINT, "words")
    assert refused.value.problems[0].fix == "outputs=FOLDER"
