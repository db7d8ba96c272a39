"""The store: an artifact is made once, by one process, and what is damaged or half made is never taken for whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exp.errors import Refused
from exp.stages.files import write_json
from exp.stages.store import MANIFEST, Artifact, Store

IDENTITY = "0123456789abcdef"

BUILDER = """
import sys, time
from pathlib import Path
from exp.stages.store import Store

root, name = Path(sys.argv[1]), sys.argv[2]

def build(folder):
    (folder / "maker").write_text(name)
    print("building", flush=True)
    sys.stdin.readline()
    return {"maker": name}

artifact = Store(root, lambda text: print(text, flush=True)).obtain("sft", "0123456789abcdef", {}, {}, build)
print("reused" if artifact.reused else "made", artifact.manifest["facts"]["maker"], flush=True)
"""


class Counted:
    """A build that counts how often it ran."""

    def __init__(self, content: str = "content") -> None:
        self.content = content
        self.times = 0

    def __call__(self, folder: Path) -> dict[str, Any]:
        self.times += 1
        (folder / "file.txt").write_text(self.content)
        return {"times": self.times}


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def store(tmp_path: Path, said: list[str]) -> Store:
    return Store(tmp_path / "store", said.append)


def obtain(store: Store, build: Callable[[Path], dict[str, Any]]) -> Artifact:
    return store.obtain("sft", IDENTITY, {"base": "b"}, {"rank": 3}, build)


def test_an_artifact_is_made_once_and_reused(store: Store) -> None:
    build = Counted()
    first, second = obtain(store, build), obtain(store, build)
    assert build.times == 1
    assert (first.reused, second.reused) == (False, True)
    assert second.manifest == first.manifest
    assert (second.folder / "file.txt").read_text() == "content"


def test_the_manifest_says_what_it_is_made_of(store: Store) -> None:
    manifest = json.loads((obtain(store, Counted()).folder / MANIFEST).read_text())
    expected = {"stage": "sft", "identity": IDENTITY, "inputs": {"base": "b"}, "values": {"rank": 3}}
    assert manifest.items() >= (expected | {"facts": {"times": 1}}).items()
    assert set(manifest["files"]) == {"file.txt"}


def test_what_was_never_made_is_not_found(store: Store) -> None:
    assert store.find("sft", IDENTITY) is None
    assert not store.root.exists()


def damage_content(folder: Path) -> None:
    (folder / "file.txt").write_text("tampered")


def damage_size(folder: Path) -> None:
    (folder / "file.txt").write_text("")


def lose_file(folder: Path) -> None:
    (folder / "file.txt").unlink()


def halve_manifest(folder: Path) -> None:
    content = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(content[: len(content) // 2])


def lose_manifest(folder: Path) -> None:
    (folder / MANIFEST).unlink()


@pytest.mark.parametrize("harm", [damage_content, damage_size, lose_file, halve_manifest, lose_manifest])
def test_a_damaged_artifact_is_set_aside_and_made_again(
    store: Store, said: list[str], harm: Callable[..., None]
) -> None:
    build = Counted()
    folder = obtain(store, build).folder
    harm(folder)
    left = {f.name: f.read_bytes() for f in folder.iterdir()}
    assert store.find("sft", IDENTITY) is None
    again = obtain(store, build)
    assert (build.times, again.reused) == (2, False)
    assert (again.folder / "file.txt").read_text() == "content"
    (aside,) = folder.parent.glob(f"{IDENTITY}.damaged-*")
    assert {f.name: f.read_bytes() for f in aside.iterdir()} == left
    assert aside.name in said[0]


def test_an_interrupted_build_keeps_what_it_wrote_and_goes_on_there(store: Store) -> None:
    def interrupted(folder: Path) -> dict[str, Any]:
        (folder / "checkpoint").write_text("half way")
        raise KeyboardInterrupt

    def resumed(folder: Path) -> dict[str, Any]:
        return {"found": (folder / "checkpoint").read_text()}

    with pytest.raises(KeyboardInterrupt):
        obtain(store, interrupted)
    assert store.find("sft", IDENTITY) is None
    assert obtain(store, resumed).manifest["facts"] == {"found": "half way"}


def test_a_crash_between_the_manifest_and_its_publication_does_no_harm(store: Store) -> None:
    partial = store.root / "sft" / f"{IDENTITY}.partial"
    partial.mkdir(parents=True)
    write_json(partial / MANIFEST, {"files": {}})
    obtain(store, Counted())
    found = store.find("sft", IDENTITY)
    assert found is not None
    assert set(found.manifest["files"]) == {"file.txt"}


def start(root: Path, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILDER, str(root), name]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_of_two_processes_one_makes_the_artifact_and_the_other_waits_and_reuses_it(tmp_path: Path) -> None:
    with start(tmp_path, "first") as first:
        assert line(first) == "building"
        with start(tmp_path, "second") as second:
            assert f"pid {first.pid}" in line(second)
            first.communicate("go on\n", timeout=60)
            assert second.communicate(timeout=60)[0] == "reused first\n"
    assert (first.returncode, second.returncode) == (0, 0)


def test_a_killed_process_does_not_keep_the_artifact_from_the_next(tmp_path: Path) -> None:
    with start(tmp_path, "first") as first:
        assert line(first) == "building"
        with start(tmp_path, "second") as second:
            assert "waiting for it" in line(second)
            os.kill(first.pid, signal.SIGKILL)
            assert line(second) == "building"
            assert second.communicate("go on\n", timeout=60)[0] == "made second\n"
    assert (tmp_path / "sft" / IDENTITY / "maker").read_text() == "second"


def test_a_store_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refused, match="cannot write to") as refused:
        obtain(Store(tmp_path / "file"), Counted())
    assert refused.value.problems[0].where == "outputs"
