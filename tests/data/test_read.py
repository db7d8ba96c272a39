"""Reading files: every row once, in order or shuffled, in flat memory, mistakes named with their place."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exp.data.read import BUFFER, LONGEST_LINE, read_files
from exp.errors import Refused

ROWS = [{"n": i, "text": f"row {i} – ünïcode"} for i in range(3000)]


def numbers(files: list[Path], seed: int | None = None) -> list[int]:
    return [row["n"] for row in read_files(files, seed)]


@pytest.fixture(params=["jsonl", "json", "parquet"])
def file(request: pytest.FixtureRequest, write_jsonl: Any, write_parquet: Any) -> Path:
    if request.param == "parquet":
        return write_parquet(ROWS)
    if request.param == "jsonl":
        return write_jsonl(ROWS)
    listed: Path = write_jsonl([], "rows.json")
    listed.write_text(json.dumps(ROWS, indent=1), "utf-8")
    return listed


def test_every_row_is_read_in_order(file: Path) -> None:
    assert list(read_files([file])) == ROWS


def test_shuffling_gives_every_row_once_and_the_same_order_for_the_same_seed(file: Path) -> None:
    shuffled = numbers([file], seed=1)
    assert sorted(shuffled) == list(range(3000))
    assert shuffled != list(range(3000))
    assert shuffled == numbers([file], seed=1)
    assert shuffled != numbers([file], seed=2)


def test_shuffled_json_lines_start_anywhere_in_the_file(write_jsonl: Callable[..., Path]) -> None:
    assert max(numbers([write_jsonl(ROWS)], seed=1)[:100]) > 2 * BUFFER


def test_files_follow_each_other(write_jsonl: Callable[..., Path]) -> None:
    first, second = write_jsonl(ROWS[:2], "a.jsonl"), write_jsonl(ROWS[2:5], "b.jsonl")
    assert numbers([first, second]) == [0, 1, 2, 3, 4]


def test_json_lines_in_a_file_named_json_are_read(write_jsonl: Callable[..., Path]) -> None:
    assert numbers([write_jsonl(ROWS[:3], "rows.json")]) == [0, 1, 2]


def test_empty_lines_are_no_rows(write_jsonl: Callable[..., Path]) -> None:
    file = write_jsonl([])
    file.write_text('{"n": 1}\n\n   \n{"n": 2}', "utf-8")
    assert numbers([file]) == [1, 2]
    assert sorted(numbers([file], seed=0)) == [1, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"n": 1}\n{"n": \n', r"line 2: not valid JSON"),
        ('{"n": 1}\n7\n', r"line 2: a row must be a JSON object, not int"),
        ('[{"n": 1}, 7]', r"item 2: a row must be a JSON object"),
        ("[{]", r"not valid JSON"),
        ('{"n": ' + "[" * 200_000, r"line 1: not valid JSON"),
    ],
)
def test_what_is_not_json_is_named_with_its_place(write_jsonl: Any, content: str, message: str) -> None:
    file = write_jsonl([])
    file.write_text(content, "utf-8")
    with pytest.raises(Refused, match=message):
        list(read_files([file]))


def test_an_endless_line_is_refused(write_jsonl: Callable[..., Path]) -> None:
    file = write_jsonl([])
    file.write_text('{"n": "' + "x" * (LONGEST_LINE + 10) + '"}\n', "utf-8")
    with pytest.raises(Refused, match=r"line 1: the line is longer than 16 MiB"):
        list(read_files([file]))


def test_a_file_that_only_calls_itself_parquet_is_refused(write_jsonl: Callable[..., Path]) -> None:
    with pytest.raises(Refused, match="not a valid Parquet file"):
        list(read_files([write_jsonl(ROWS[:1], "rows.parquet")]))


MEASURE = """
import resource, sys
from itertools import islice
from pathlib import Path
from exp.data.read import read_files
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
seed = None if sys.argv[2] == "ordered" else 0
taken = sum(1 for _ in islice(read_files([Path(sys.argv[1])], seed), int(sys.argv[3])))
print(taken, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize("order", ["ordered", "shuffled"])
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_slice_of_a_large_file_needs_little_memory(tmp_path: Path, suffix: str, order: str) -> None:
    """300 MB of rows in one file (one row group); whoever loads it whole needs several times that."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows, body = 30_000, 10_000
    file = tmp_path / f"large.{suffix}"
    noise = "".join(chr(33 + (i * i * 7919) % 90) for i in range(body + rows))
    made = ({"n": i, "text": noise[i : i + body]} for i in range(rows))
    if suffix == "jsonl":
        with file.open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(row) + "\n" for row in made)
    else:
        table = pa.Table.from_pylist(list(made))
        pq.write_table(table, file, row_group_size=rows, use_dictionary=False, compression="none")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(file), order, "2000"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    taken, grown_mb = map(int, done.stdout.split())
    assert file.stat().st_size > 290e6
    assert taken == 2000
    assert grown_mb < 150
