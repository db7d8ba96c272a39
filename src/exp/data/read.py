"""Rows of local files, one after the other in flat memory: JSON lines, JSON lists and Parquet.

Only these formats, which hold data and never code.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from exp.errors import refuse

LONGEST_LINE = 16 * 2**20
LARGEST_LIST = 256 * 2**20
PARQUET_BATCH = 128  # rows decoded at a time; reasoning traces take tens of kilobytes each
BUFFER = 1000  # rows a shuffled Parquet file mixes at a time

Rows = Iterator[dict[str, Any]]


def read_files(files: Sequence[Path], shuffle_seed: int | None = None) -> Rows:
    """All rows of `files` in order, or in a random order that depends on the seed alone.

    JSON lines are shuffled evenly by their positions; Parquet by files, row groups, and `BUFFER` rows at a time, which
    is what streaming from the hub does too. Raises `Refused` for text that is not JSON, with file and line.
    """
    rng = None if shuffle_seed is None else Random(shuffle_seed)
    order = list(files)
    if rng:
        rng.shuffle(order)
    for file in order:
        yield from _reader(file)(file, rng)


def _reader(file: Path) -> Callable[[Path, Random | None], Rows]:
    if file.suffix.lower() == ".parquet":
        return _parquet
    return _json_list if _starts_with_bracket(file) else _json_lines


def _starts_with_bracket(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def _json_lines(file: Path, rng: Random | None) -> Rows:
    with file.open("rb") as stream:
        if rng is None:
            for number, line in enumerate(_lines(stream, file), 1):
                if line.strip():
                    yield _object(line, f"{file}, line {number}")
            return
        starts = array("Q")
        position = 0
        for line in _lines(stream, file):
            if line.strip():
                starts.append(position)
            position += len(line)
        rng.shuffle(starts)
        for start in starts:
            stream.seek(start)
            yield _object(stream.readline(LONGEST_LINE), f"{file}, byte {start}")


def _lines(stream: Any, file: Path) -> Iterator[bytes]:
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            raise refuse(f"the line is longer than {LONGEST_LINE // 2**20} MiB", f"{file}, line {number}")
        yield line


def _json_list(file: Path, rng: Random | None) -> Rows:
    if file.stat().st_size > LARGEST_LIST:
        raise refuse(
            "a JSON list of this size would fill the memory", str(file), "write one JSON object per line (JSONL)"
        )
    try:
        rows = json.loads(file.read_text("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise refuse(f"not valid JSON: {error}", str(file)) from None
    if rng:
        rng.shuffle(rows)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise refuse(f"a row must be a JSON object, not {type(row).__name__}", f"{file}, item {number}")
        yield row


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise refuse(f"not valid JSON: {error}", where) from None
    if not isinstance(row, dict):
        raise refuse(f"a row must be a JSON object, not {type(row).__name__}", where)
    return row


def _parquet(file: Path, rng: Random | None) -> Rows:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Buffered and without prefetch, so that a row group of any size passes through a few megabytes.
        table = pq.ParquetFile(file, buffer_size=2**20, pre_buffer=False)
    except pa.ArrowInvalid as error:
        raise refuse(f"not a valid Parquet file: {error}", str(file)) from None
    with table:
        groups = list(range(table.num_row_groups))
        if rng:
            rng.shuffle(groups)
        batches = (b for group in groups for b in table.iter_batches(PARQUET_BATCH, [group], use_threads=False))
        rows = (row for batch in batches for row in batch.to_pylist())
        yield from _mixed(rows, rng) if rng else rows


def _mixed(rows: Iterable[dict[str, Any]], rng: Random) -> Rows:
    """A shuffle buffer: each arriving row pushes out a random one of the `BUFFER` rows held."""
    held: list[dict[str, Any]] = []
    for row in rows:
        if len(held) < BUFFER:
            held.append(row)
            continue
        place = rng.randrange(BUFFER)
        yield held[place]
        held[place] = row
    rng.shuffle(held)
    yield from held
