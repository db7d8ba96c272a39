"""Rows of a run's JSONL files, and the bounded selection of completions that a report embeds.

Rows that belong together (the rollouts of one prompt, the samples of one question) are kept or left out as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = dict[str, Any]

LONGEST_TEXT = 12_000
"""Characters of a completion that are embedded; a longer one keeps its beginning and its end."""
_KEPT_OF_THE_BEGINNING = 4_000
_SHOWN = ("id", "question", "gold", "completion", "extracted", "verdict", "well_formed", "reason")
_SHOWN_WHERE_PRESENT = ("step", "reward", "components", "tokens")


@dataclass(frozen=True)
class Budget:
    """How much of one kind of rows a report may hold."""

    rows: int
    characters: int


GREEDY = Budget(rows=6_000, characters=24_000_000)
SAMPLED = Budget(rows=1_500, characters=6_000_000)
ROLLOUTS = Budget(rows=1_000, characters=6_000_000)


@dataclass
class Selection:
    """The chosen rows of some files, and what there was to choose from."""

    rows: list[tuple[Path, Row]]
    totals: dict[Path, int]
    shown: dict[Path, int] = field(init=False)

    def __post_init__(self) -> None:
        self.shown = {path: sum(1 for at, _ in self.rows if at == path) for path in self.totals}


def read_rows(path: Path, unreadable: list[str]) -> Iterator[Row]:
    """The JSON objects of a JSONL file, one a line.

    A line that is none is named in `unreadable`, except an unfinished last one: the run may be writing it.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if isinstance(row, dict):
                yield row
            elif line.endswith(b"\n"):
                unreadable.append(f"{path.name}, line {number}")


def select(
    files: list[Path], group: Callable[[Row], Hashable | None], budget: Budget, unreadable: list[str]
) -> Selection:
    """Rows of `files` within `budget`: whole groups, evenly spread in the order of their first appearance.

    `group` names the group of a row, None if the row is not meant. At least one group is kept however large it is.
    """
    rows_of: dict[Hashable, int] = {}
    characters = 0
    totals = dict.fromkeys(files, 0)
    for path in files:
        for row in read_rows(path, unreadable):
            key = group(row)
            if key is not None:
                rows_of[key] = rows_of.get(key, 0) + 1
                characters += min(len(row["completion"]), LONGEST_TEXT)
                totals[path] += 1
    kept = set(spread(list(rows_of), _groups_within(budget, len(rows_of), sum(rows_of.values()), characters)))
    chosen = [(path, shown(row)) for path in files for row in read_rows(path, []) if group(row) in kept]
    return Selection(chosen, totals)


def spread(items: list[Hashable], count: int) -> list[Hashable]:
    """`count` of the items at even distances, the first and the last among them if `count` is at least two."""
    if count >= len(items):
        return items
    if count == 1:
        return items[:1]
    return [items[round(place * (len(items) - 1) / (count - 1))] for place in range(count)]


def shown(row: Row) -> Row:
    """The parts of a completion's row that the report shows, long texts shortened."""
    kept = {key: row[key] for key in _SHOWN} | {key: row[key] for key in _SHOWN_WHERE_PRESENT if key in row}
    return {key: shorten(value) if isinstance(value, str) else value for key, value in kept.items()}


def shorten(text: str) -> str:
    """The text, or its beginning and end with the number of characters left out between them."""
    if len(text) <= LONGEST_TEXT:
        return text
    left_out = len(text) - LONGEST_TEXT
    end = LONGEST_TEXT - _KEPT_OF_THE_BEGINNING
    return f"{text[:_KEPT_OF_THE_BEGINNING]}\n[… {left_out:,} characters are left out here …]\n{text[-end:]}"


def _groups_within(budget: Budget, groups: int, rows: int, characters: int) -> int:
    if not groups:
        return 0
    share = min(1.0, budget.rows / rows, budget.characters / max(characters, 1))
    return max(1, int(share * groups))
