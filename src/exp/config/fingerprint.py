"""The content hash of a local file or folder, so that an identity follows what is inside and not where it lies."""

from __future__ import annotations

import hashlib
from pathlib import Path

WHOLE = 64 * 2**20
"""Files up to this many bytes are hashed whole; of longer ones the size and `SAMPLES` evenly spaced blocks."""
BLOCK = 2**20
SAMPLES = 32


def fingerprint(path: Path) -> str:
    """Sixteen hexadecimal digits from the relative names and contents of all files under `path`, hidden ones left out.

    Raises FileNotFoundError if there is nothing at `path`.
    """
    if path.is_file():
        return _file_digest(path)[:16]
    files = sorted(
        f for f in path.rglob("*") if f.is_file() and not any(p.startswith(".") for p in f.relative_to(path).parts)
    )
    if not files:
        raise FileNotFoundError(path)
    whole = hashlib.sha256()
    for file in files:
        whole.update(f"{file.relative_to(path).as_posix()}\0{_file_digest(file)}\n".encode())
    return whole.hexdigest()[:16]


def _file_digest(path: Path) -> str:
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as stream:
        if size <= WHOLE:
            while block := stream.read(BLOCK):
                digest.update(block)
        else:
            for index in range(SAMPLES):
                stream.seek((size - BLOCK) * index // (SAMPLES - 1))
                digest.update(stream.read(BLOCK))
    return digest.hexdigest()
