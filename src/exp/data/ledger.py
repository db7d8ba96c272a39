"""What became of the rows of one use: how many were read and kept, and every row that was dropped, with the reason."""

from __future__ import annotations

import json
from collections import Counter
from typing import IO, Any

from exp.data.examples import Unusable

EXAMPLES = 5


class Ledger:
    """Counts, and writes one line `{use, id, row, reason, detail}` for each dropped row to `stream`."""

    def __init__(self, use: str, stream: IO[str]) -> None:
        self._use = use
        self._stream = stream
        self.read = 0
        self.kept = 0
        self.set_aside = 0
        """Rows of another use's share of the same source."""
        self._dropped: Counter[str] = Counter()
        self._examples: dict[str, list[dict[str, str]]] = {}

    def drop(self, number: int, identifier: str, problem: Unusable) -> None:
        """Record a row that cannot be used."""
        name = identifier or f"row {number}"
        self._dropped[problem.reason] += 1
        examples = self._examples.setdefault(problem.reason, [])
        if len(examples) < EXAMPLES:
            examples.append({"id": name, "detail": problem.detail})
        line = {"use": self._use, "id": name, "row": number, "reason": problem.reason, "detail": problem.detail}
        self._stream.write(json.dumps(line, ensure_ascii=False) + "\n")

    def report(self) -> dict[str, Any]:
        """Counts by reason, most frequent first, each with the first ids and details."""
        dropped = {
            reason: {"count": count, "examples": self._examples[reason]}
            for reason, count in self._dropped.most_common()
        }
        return {"read": self.read, "kept": self.kept, "set_aside": self.set_aside, "dropped": dropped}

    def summary(self) -> str:
        """One line for a message: what was read, and why nothing is left."""
        reasons = [
            f"{count} × {reason} (such as {self._example(reason)})" for reason, count in self._dropped.most_common(4)
        ]
        return f"{self.read} rows read, {self.kept} kept; dropped: {'; '.join(reasons) or 'none'}"

    def _example(self, reason: str) -> str:
        first = self._examples[reason][0]
        return f"{first['id']}: {first['detail'][:200]}" if first["detail"] else first["id"]
