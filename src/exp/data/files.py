"""Which local files a source reads: one that is named, or those inside a folder that match its name and split."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from exp.config.dataset import Source
from exp.errors import Refused, refuse

SUFFIXES = {".jsonl", ".json", ".parquet"}
SPLITS = {"train": "train", "training": "train", "test": "test", "eval": "test"} | dict.fromkeys(
    ("validation", "valid", "val", "dev"), "validation"
)
SHOWN = 12


@dataclass(frozen=True)
class _Named:
    """What the path of a data file says: `words` besides split and shard number."""

    path: Path
    words: str
    folders: tuple[str, ...]
    split: str | None


def find_files(path: Path, source: Source, where: str) -> list[Path]:
    """The data files of `source` at `path`, in order.

    A file stands for itself. In a folder, the files of the wanted split count: `gsm8k_train.jsonl`, `train.parquet`,
    the shards `data/train-00000-of-00002.parquet` of a hub snapshot; failing those, files that name the dataset and
    no split.
    Raises `Refused` with the files seen if none fits, or if several different ones do.
    """
    if path.is_file():
        if path.suffix.lower() not in SUFFIXES:
            raise refuse(f"{path} is no JSONL, JSON or Parquet file", where, f"{where}=FILE.jsonl")
        return [path]
    if not path.is_dir():
        raise refuse(f"there is no file or folder {path}", where, f"dataset.path=... for all uses, or {where}=...")
    files = [_describe(file, path) for file in sorted(path.rglob("*")) if _is_data(file, path)]
    ranked = [(rank, file) for file in files if (rank := _rank(file, source))]
    if not ranked:
        raise _unfound(f"no file for {source.name}, split {source.split}", files, path, where)
    best = max(rank for rank, _ in ranked)
    chosen = [file for rank, file in ranked if rank == best]
    if len({(file.words, file.folders, file.path.suffix) for file in chosen}) > 1:
        raise _unfound(f"several files fit {source.name}, split {source.split}", chosen, path, where)
    return [file.path for file in chosen]


def _rank(file: _Named, source: Source) -> tuple[int, int, int] | None:
    """How well a file fits; None if it does not. Named after the dataset beats unnamed, its split beats no split."""
    wanted = SPLITS.get(source.split.lower(), source.split.lower())
    own_words = {_words(source.name), _words((source.hub_id or "").rpartition("/")[2])} - {""}
    subset = _words(source.subset or "")
    named = file.words in own_words or any(folder in own_words for folder in file.folders)
    unnamed = file.words in {"", "data", "default", subset}
    if not (file.words in own_words or unnamed) or file.split not in {wanted, None}:
        return None
    if file.split is None and unnamed and not named:
        return None
    return int(named), int(file.split == wanted), int(bool(subset) and subset in (*file.folders, file.words))


def _describe(file: Path, root: Path) -> _Named:
    relative = file.relative_to(root)
    tokens = re.findall(r"[a-z0-9]+", relative.name.removesuffix(file.suffix).lower())
    shard = re.search(
        r"[-_]\d{3,}(?:[-_]of[-_]\d+)?(?:[-_][0-9a-f]{8,})?$", relative.name.removesuffix(file.suffix).lower()
    )
    if shard:
        tokens = re.findall(r"[a-z0-9]+", relative.name.lower()[: shard.start()])
    folders = tuple(_words(part) for part in relative.parts[:-1])
    in_name = [token for token in tokens if token in SPLITS]
    in_folders = [folder for folder in folders if folder in SPLITS]
    split = SPLITS[in_name[-1]] if in_name else SPLITS[in_folders[-1]] if in_folders else None
    return _Named(file, "_".join(token for token in tokens if token not in SPLITS), folders, split)


def _is_data(file: Path, root: Path) -> bool:
    parts = file.relative_to(root).parts
    return file.suffix.lower() in SUFFIXES and not any(part.startswith(".") for part in parts) and file.is_file()


def _words(name: str) -> str:
    return "_".join(re.findall(r"[a-z0-9]+", name.lower()))


def _unfound(what: str, files: list[_Named], path: Path, where: str) -> Refused:
    names = [file.path.relative_to(path).as_posix() for file in files]
    seen = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return refuse(f"{what}, in {path}; seen: {seen or 'no data file at all'}", where, f"{where}=FILE")
