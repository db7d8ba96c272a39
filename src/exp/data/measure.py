"""Token lengths of the rows as they are, before any is cut: quantiles, and the budget that would keep most of them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import ceil
from typing import Any

from exp.config.contracts import Context

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "max": 1.0}


class Measured:
    """Collects lengths, four bytes each."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._prompt = array("I")
        self._completion = array("I")
        self._total = array("I")
        self._needed = array("I")

    def add(self, prompt: int, completion: int | None = None) -> None:
        """One row; `completion` is None where there is no completion yet."""
        total = prompt + (completion or 0)
        self._prompt.append(prompt)
        if completion is not None:
            self._completion.append(completion)
            self._total.append(total)
        self._needed.append(max(total, smallest_total(prompt, self._context.prompt_share)))

    def report(self) -> dict[str, Any]:
        """Quantiles in tokens of prompt, completion, total; budgets that keep 95 and 99 % of rows, and the share cut.

        A row fits a budget if its prompt fits the prompt share and prompt and completion fit the whole.
        """
        parts = {"prompt": self._prompt, "completion": self._completion, "total": self._total}
        needed = sorted(self._needed)
        over = sum(n > self._context.total for n in needed)
        return {
            "tokens": {name: _quantiles(values) for name, values in parts.items() if values},
            "smallest_total": {f"keeps_{p}": quantile(needed, p / 100) for p in (95, 99)} if needed else {},
            "share_cut": over / len(needed) if needed else 0.0,
        }


def smallest_total(prompt: int, share: float) -> int:
    """The smallest context total whose prompt budget, floor(total · share), holds `prompt` tokens."""
    total = max(prompt + 1, ceil(prompt / share))
    return total if int(total * share) >= prompt else total + 1


def quantile(ordered: Sequence[int], q: float) -> int:
    """Nearest-rank quantile of sorted values: the smallest one that at least a share `q` do not exceed."""
    return ordered[max(1, ceil(q * len(ordered))) - 1]


def _quantiles(values: Sequence[int]) -> dict[str, int]:
    ordered = sorted(values)
    return {name: quantile(ordered, q) for name, q in QUANTILES.items()}
