"""The content hash of files and folders: it follows what is inside, and not where or when it was written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from exp.config import fingerprint as module
from exp.config.fingerprint import fingerprint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "made"
    (made / "inner").mkdir(parents=True)
    (made / "a.txt").write_text("a")
    (made / "inner" / "b.txt").write_text("b")
    return made


def test_a_copy_elsewhere_has_the_same_fingerprint(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "other" / "place"
    shutil.copytree(folder, copy)
    os.utime(copy / "a.txt", (1, 1))
    assert fingerprint(copy) == fingerprint(folder)
    assert fingerprint(copy / "a.txt") == fingerprint(folder / "a.txt")


def test_an_edit_a_new_name_and_a_new_place_inside_each_change_it(folder: Path) -> None:
    seen = [fingerprint(folder)]
    (folder / "a.txt").write_text("A")
    seen.append(fingerprint(folder))
    (folder / "a.txt").rename(folder / "c.txt")
    seen.append(fingerprint(folder))
    (folder / "c.txt").rename(folder / "inner" / "c.txt")
    seen.append(fingerprint(folder))
    (folder / "inner" / "empty").touch()
    seen.append(fingerprint(folder))
    assert len(set(seen)) == len(seen)


def test_hidden_files_are_not_content(folder: Path) -> None:
    before = fingerprint(folder)
    (folder / ".cache").mkdir()
    (folder / ".cache" / "x").write_text("x")
    (folder / "inner" / ".lock").write_text("x")
    assert fingerprint(folder) == before


def test_contents_cannot_run_into_each_other(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for made, (a, b) in ((first, ("xy", "z")), (second, ("x", "yz"))):
        made.mkdir()
        (made / "a").write_text(a)
        (made / "b").write_text(b)
    assert fingerprint(first) != fingerprint(second)


def test_nothing_has_no_fingerprint(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        fingerprint(tmp_path / "absent")
    with pytest.raises(FileNotFoundError):
        fingerprint(tmp_path)


def test_a_long_file_is_known_by_its_size_and_sampled_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WHOLE", 1000)
    monkeypatch.setattr(module, "BLOCK", 10)
    file = tmp_path / "long"
    file.write_bytes(bytes(5000))
    seen = [fingerprint(file)]
    file.write_bytes(bytes(5001))
    seen.append(fingerprint(file))
    for at in (0, 4999):
        file.write_bytes(bytes(at) + b"x" + bytes(4999 - at))
        seen.append(fingerprint(file))
    assert len(set(seen)) == len(seen)
