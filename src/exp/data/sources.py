"""The table of sources, and opening one: a stream of numbered rows, each an example or refused with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from exp.config.dataset import Dataset, Source
from exp.data import generated, readers, shapes
from exp.data.examples import Example, Unusable
from exp.data.files import find_files
from exp.data.hub import read_hub
from exp.data.read import read_files
from exp.errors import Problem, Refused, nearest, refuse
from exp.rewards.plugin import is_path, load_function

READERS: dict[str, Callable[[readers.Row, Source], Example]] = {
    "gsm8k": readers.gsm8k,
    "svamp": readers.svamp,
    "math500": readers.math500,
    "jeebench": readers.jeebench,
    "openr1_math": readers.openr1_math,
    "openthoughts3": readers.openthoughts3,
}
"""Row by row: a function from a row with the dataset's own columns to an `Example`."""

GENERATORS: dict[str, Callable[[Source, int], Iterator[Example]]] = {
    "addition": generated.additions,
    "reasoning_gym": generated.reasoning_gym,
}
"""Made on the spot: a function from a source and a seed to examples."""

ANY_SHAPE = "rows"


@dataclass(frozen=True)
class Read:
    """One row: its number in the stream (from 1), as found, and what became of it."""

    number: int
    raw: Mapping[str, Any]
    example: Example | None
    problem: Unusable | None = None


@dataclass(frozen=True)
class Opened:
    """A source that is known to exist. Reading it again yields the same rows in the same order."""

    source: Source
    where: str
    """Dotted key, for messages."""
    files: tuple[Path, ...]
    """Local files; empty for the hub and for generated sources."""

    @property
    def origin(self) -> tuple[Any, ...]:
        """Equal for two sources that yield the same rows."""
        if self.files:
            return self.files
        if self.source.name in GENERATORS or is_path(self.source.name):
            return (self.source.name, self.source.split, str(self.source.options))
        return (self.source.hub_id, self.source.subset, self.source.split, self.source.revision)

    def read(self, seed: int) -> Iterator[Read]:
        """Every row in order. Raises `Refused` if the first one shows that the columns are not the expected ones."""
        if self.source.name in GENERATORS:
            for number, example in enumerate(GENERATORS[self.source.name](self.source, seed), 1):
                yield Read(number, _as_row(example), example)
            return
        convert = _converter(self.source, self.where)
        for number, row in enumerate(self._rows(seed), 1):
            renamed = {self.source.columns.get(name, name): value for name, value in row.items()}
            try:
                example = convert(renamed, number)
            except Unusable as problem:
                if number == 1 and problem.reason in {"missing column", "ambiguous shape", "unknown shape"}:
                    raise self._wrong_columns(problem, row) from problem
                yield Read(number, row, None, problem)
            else:
                name = example.id or f"{self.source.name.rpartition(':')[2]}-{self.source.split}-{number}"
                yield Read(number, row, replace(example, id=name))

    def _rows(self, seed: int) -> Iterator[Mapping[str, Any]]:
        shuffle_seed = seed if self.source.shuffle else None
        if self.files:
            return read_files(self.files, shuffle_seed)
        if is_path(self.source.name):
            # A user's own source: function(split, seed, **options) yields rows of any known shape.
            return iter(load_function(self.source.name)(split=self.source.split, seed=seed, **self.source.options))
        return read_hub(self.source, self.where, shuffle_seed)

    def _wrong_columns(self, problem: Unusable, row: Mapping[str, Any]) -> Refused:
        place = f"{self.files[0]}, row 1" if self.files else f"{self.source.hub_id or self.source.name}, row 1"
        if problem.reason == "missing column":
            fix = f"map the columns, theirs to ours: '{self.where}.columns={{{next(iter(row), 'THEIRS')}: question}}'"
        elif problem.reason == "ambiguous shape":
            fix = f"{self.where}.shape={problem.detail.rpartition(' ')[2]}"
        else:
            fix = f"rename columns with {self.where}.columns; known shapes: {', '.join(shapes.READ)}"
        return refuse(str(problem), f"{self.where} ({place})", fix)


def open_source(dataset: Dataset, use: str) -> Opened:
    """The source of `use` (`sft`, `rl` or `eval`). Raises `Refused` if there is none or its rows cannot be located."""
    source: Source | None = getattr(dataset, use)
    where = f"dataset.{use}"
    if source is None:
        raise Refused(_no_source(dataset, use))
    if source.name in GENERATORS or is_path(source.name):
        return Opened(source, where, ())
    if source.name not in READERS and source.name != ANY_SHAPE:
        known = [*READERS, *GENERATORS, ANY_SHAPE]
        close = nearest(source.name, known)
        raise refuse(
            f"there is no source {source.name!r}; known are {', '.join(known)}, or path/to/file.py:function",
            f"{where}.name",
            f"{where}.name={close or ANY_SHAPE}",
        )
    if source.path or dataset.path:
        path = Path(source.path or dataset.path or "").expanduser()
        return Opened(source, where, tuple(find_files(path, source, f"{where}.path")))
    if not source.hub_id:
        raise refuse("it is not said where the rows are", where, "dataset.path=FILE_OR_FOLDER")
    return Opened(source, where, ())


def _no_source(dataset: Dataset, use: str) -> Problem:
    if use == "sft":
        what = f"dataset {dataset.name} has no reasoning traces to imitate, so it cannot feed SFT"
        return Problem(what, "dataset.sft", "sft=none, or a dataset with traces such as dataset=gsm8k")
    what = f"dataset {dataset.name} has no verifiable answers, so it cannot feed GRPO"
    return Problem(what, f"dataset.{use}", "grpo=none, or a dataset with answers such as dataset=gsm8k")


def _converter(source: Source, where: str) -> Callable[[readers.Row, int], Example]:
    if source.name in READERS:
        reader = READERS[source.name]
        return lambda row, number: reader(row, source)
    decided: list[Any] = []

    def convert(row: readers.Row, number: int) -> Example:
        if not decided:  # by the first row: a later row of another shape is refused, not guessed at
            decided.append(shapes.shape_of(row, source.shape, number))
        return shapes.example_of(row, decided[0], source)

    return convert


def _as_row(example: Example) -> dict[str, Any]:
    return {"question": example.question, "reasoning": example.reasoning, "answer": example.answer}
