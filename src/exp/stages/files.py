"""Writing files so that a crash leaves the old one or the new one, never half of one."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HASHED = 2**30
"""Files up to this many bytes are verified by hash, longer ones by size."""


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text` atomically and durably."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    """Replace `path` by readable JSON atomically and durably."""
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a JSONL file, none if it is absent; an unfinished last line, left by a crash, is not a row."""
    if not path.exists():
        return
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if line.endswith("\n"):
                yield json.loads(line)


def keep_rows(path: Path, last_step: int) -> None:
    """Drop the rows of a JSONL file whose `step` lies beyond `last_step`; a resumed stage will write them again."""
    if path.exists():
        kept = [json.dumps(row, ensure_ascii=False) + "\n" for row in read_rows(path) if row["step"] <= last_step]
        write_text(path, "".join(kept))


def listing(folder: Path) -> dict[str, dict[str, Any]]:
    """Size in bytes and hash of every file under a folder, by relative name."""
    files = sorted(f for f in folder.rglob("*") if f.is_file())
    return {f.relative_to(folder).as_posix(): {"bytes": f.stat().st_size, "sha256": _sha256(f)} for f in files}


def damage(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> str:
    """How a folder differs from its listing, or "" if all files are as listed."""
    for name, expected in files.items():
        file = folder / name
        if not file.exists():
            return f"{name} is missing"
        if file.stat().st_size != expected["bytes"]:
            return f"{name} has {file.stat().st_size} bytes instead of {expected['bytes']}"
        if expected["sha256"] and _sha256(file) != expected["sha256"]:
            return f"the content of {name} changed"
    return ""


def _sha256(file: Path) -> str:
    if file.stat().st_size > HASHED:
        return ""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
