"""Writing and reading files so that a crash at any moment does no harm."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exp.stages.files import damage, keep_rows, listing, read_rows, write_json, write_text


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    write_json(file, {"a": "é"})
    write_json(file, {"b": 1})
    assert json.loads(file.read_text()) == {"b": 1}
    assert list(tmp_path.iterdir()) == [file]


def test_a_write_that_fails_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file.txt"
    write_text(file, "old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_text(file, "new")
    assert file.read_text() == "old"


def test_an_unfinished_last_line_is_no_row(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"step": 1}\n{"step": 2}\n{"ste')
    assert list(read_rows(file)) == [{"step": 1}, {"step": 2}]


def test_a_file_that_is_not_there_has_no_rows(tmp_path: Path) -> None:
    assert list(read_rows(tmp_path / "absent.jsonl")) == []
    keep_rows(tmp_path / "absent.jsonl", 3)
    assert not (tmp_path / "absent.jsonl").exists()


def test_rows_beyond_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps({"step": step, "text": "é"}) + "\n" for step in (1, 2, 2, 3, 4)) + '{"step": 1')
    keep_rows(file, 2)
    assert [row["step"] for row in read_rows(file)] == [1, 2, 2]
    assert file.read_text().endswith("\n")


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none())))
def test_any_row_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]]
) -> None:
    file = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    write_text(file, "".join(json.dumps(row) + "\n" for row in rows))
    assert list(read_rows(file)) == rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "made"
    (made / "inner").mkdir(parents=True)
    (made / "a.txt").write_text("aaa")
    (made / "inner" / "b.txt").write_text("bbb")
    return made


def test_an_untouched_folder_is_as_listed(folder: Path) -> None:
    files = listing(folder)
    assert set(files) == {"a.txt", "inner/b.txt"}
    assert damage(folder, files) == ""
    (folder / "more.txt").touch()
    assert damage(folder, files) == ""


def test_each_kind_of_damage_is_named(folder: Path) -> None:
    files = listing(folder)
    (folder / "a.txt").write_text("aab")
    assert damage(folder, files) == "the content of a.txt changed"
    (folder / "a.txt").write_text("aa")
    assert damage(folder, files) == "a.txt has 2 bytes instead of 3"
    (folder / "a.txt").unlink()
    assert damage(folder, files) == "a.txt is missing"
