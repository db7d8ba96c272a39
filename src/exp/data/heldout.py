"""What evaluation asks is kept out of training: a hold-out where both read the same rows, and the questions asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from exp.config.dataset import Dataset
from exp.data.questions import choose, masked_digest, question_digest
from exp.data.sources import Opened, open_source
from exp.errors import Refused, refuse


@dataclass(frozen=True)
class HeldOut:
    """The rows that evaluation and training share, and the questions among them that are evaluation's."""

    origin: tuple[Any, ...] | None = None
    """None where evaluation has rows of its own."""
    digests: frozenset[int] = frozenset()

    def owner(self, opened: Opened, digest: int) -> str | None:
        """`eval` or `train` for a question of the shared rows, None for any other."""
        if self.origin is None or opened.origin != self.origin:
            return None
        return "eval" if digest in self.digests else "train"


class EvalQuestions:
    """Digests of the evaluation questions, as they are and with their numbers masked."""

    def __init__(self) -> None:
        self.exact: set[int] = set()
        self.masked: set[int] = set()

    def add(self, question: str) -> None:
        """Remember a question that will be evaluated."""
        self.exact.add(question_digest(question))
        self.masked.add(masked_digest(question))


def hold_out(dataset: Dataset, measured: Opened) -> HeldOut:
    """Choose `dataset.holdout` questions if evaluation and training read the same rows, in one pass over them.

    The choice depends on the questions and `dataset.holdout_seed` alone, not on which stages run. Raises `Refused` if
    it would leave fewer questions for training than it takes.
    """
    if not shares_rows(dataset):
        return HeldOut()
    n = dataset.holdout
    questions = (read.example.question for read in measured.read(dataset.holdout_seed) if read.example)
    chosen = choose(questions, 2 * n, dataset.holdout_seed)
    if len(chosen) < 2 * n:
        raise refuse(
            f"evaluation and training share the same {len(chosen)} questions, too few to hold out {n}",
            "dataset.holdout",
            f"dataset.holdout={max(1, len(chosen) // 4)}",
        )
    return HeldOut(measured.origin, frozenset(chosen[:n]))


def shares_rows(dataset: Dataset) -> bool:
    """Whether evaluation reads the same rows as SFT or GRPO, so that they are divided. Reads no row.

    Raises `Refused` if the rows of evaluation cannot be located.
    """
    measured = open_source(dataset, "eval")
    for use in ("sft", "rl"):
        try:
            if open_source(dataset, use).origin == measured.origin:
                return True
        except Refused:  # a use that is switched off, or whose rows are not here, shares none
            continue
    return False
