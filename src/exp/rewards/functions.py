"""The reward functions: each maps a batch to one number per completion, and says its formula, range and source."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from exp.rewards.judge import Completion, Judged, Verdict


@dataclass(frozen=True)
class Batch:
    """Completions, verdicts, golds and data rows by position; the completions of one prompt stand together."""

    completions: list[Completion]
    judged: list[Judged]
    golds: list[str]
    rows: list[dict[str, Any]]


def strict(batch: Batch) -> list[float | None]:
    """1 if the answer is right and the completion well formed, else 0: the format gates, and nothing else pays."""
    return [float(j.verdict is Verdict.RIGHT and j.well_formed) for j in batch.judged]


def accuracy(batch: Batch) -> list[float | None]:
    """1 if the answer is right, whatever the form around it, else 0."""
    return [float(j.verdict is Verdict.RIGHT) for j in batch.judged]


def well_formed(batch: Batch) -> list[float | None]:
    """1 if the completion follows the format's grammar, else 0. Pays for form alone: give it a small weight."""
    return [float(j.well_formed) for j in batch.judged]


def marks(batch: Batch) -> list[float | None]:
    """The kind's own score in [0, 1]: 1 or 0, with JEEBench's 0.25 per right letter for incomplete choices.

    Source: JEEBench (arXiv 2305.15074), section 4.
    """
    return [j.score for j in batch.judged]


def jee_marks(batch: Batch) -> list[float | None]:
    """The examination's own marks, by the row's kind. Range [-2, 4].

    `jee_mcq`: 3 if right, else -1. `jee_multiple`: 4 if right, 1 for each option if all named are right, else -2.
    `jee_integer`, `jee_numeric`: 3 if right, else 0. No readable answer: 0. Other kinds: their own score in [0, 1].
    Source: JEE Advanced, as quoted to the models in JEEBench (arXiv 2305.15074).
    """
    return [_jee_marks(j, row.get("kind")) for j, row in zip(batch.judged, batch.rows, strict=True)]


def _jee_marks(judged: Judged, kind: str | None) -> float:
    lost = -1.0 if judged.verdict is Verdict.WRONG else 0.0
    if kind == "jee_mcq":
        return 3.0 if judged.verdict is Verdict.RIGHT else lost
    if kind == "jee_multiple":  # its score is 0.25 for each letter of an incomplete answer without a wrong one
        return 4 * judged.score or 2 * lost
    return 3 * judged.score if kind in ("jee_integer", "jee_numeric") else judged.score


def soft_overlong(batch: Batch, *, max_tokens: int, buffer: int) -> list[float | None]:
    """0 up to `max_tokens - buffer` tokens, then falling linearly to -1 at `max_tokens`, -1 beyond. Range [-1, 0].

    Source: DAPO (arXiv 2503.14476), equation 13; TRL's `get_soft_overlong_punishment`.
    """
    start = max_tokens - buffer
    return [-min(max(c.num_tokens - start, 0) / buffer, 1.0) for c in batch.completions]


def cosine(
    batch: Batch,
    *,
    max_tokens: int,
    right_short: float = 1.0,
    right_long: float = 0.5,
    wrong_short: float = -1.0,
    wrong_long: float = -0.5,
) -> list[float | None]:
    """long + (short - long) (1 + cos(pi t)) / 2 with t = min(tokens / max_tokens, 1): right answers should be short,
    wrong ones long. Range: between the four values.

    Source: Demystifying Long Chain-of-Thought Reasoning (arXiv 2502.03373); TRL's `get_cosine_scaled_reward`.
    """
    rewards: list[float | None] = []
    for completion, judged in zip(batch.completions, batch.judged, strict=True):
        is_right = judged.verdict is Verdict.RIGHT
        short, long = (right_short, right_long) if is_right else (wrong_short, wrong_long)
        progress = min(completion.num_tokens / max_tokens, 1.0)
        rewards.append(long + (short - long) * (1 + math.cos(math.pi * progress)) / 2)
    return rewards


def repetition(batch: Batch, *, ngram: int = 4, max_penalty: float = 1.0) -> list[float | None]:
    """-max_penalty (1 - distinct n-grams / n-grams) over the words of the completion. Range [-max_penalty, 0].

    Source: Demystifying Long Chain-of-Thought Reasoning (arXiv 2502.03373); TRL's `get_repetition_penalty_reward`.
    """
    return [-max_penalty * repeated_share(c.text, ngram) for c in batch.completions]


def length(batch: Batch) -> list[float | None]:
    """0.5 - (tokens - shortest) / (longest - shortest) within the prompt's group; wrong answers get at most 0, and
    groups of equal lengths get 0. Range [-0.5, 0.5].

    Source: Kimi k1.5 (arXiv 2501.12599), section 2.3.3.
    """
    rewards: list[float | None] = []
    for start, end in groups(batch.rows):
        lengths = [c.num_tokens for c in batch.completions[start:end]]
        spread = max(lengths) - min(lengths)
        for tokens, judged in zip(lengths, batch.judged[start:end], strict=True):
            value = 0.5 - (tokens - min(lengths)) / spread if spread else 0.0
            rewards.append(value if judged.verdict is Verdict.RIGHT else min(0.0, value))
    return rewards


def groups(rows: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    """Start and end of each run of equal rows: the completions of one prompt."""
    starts = [i for i in range(len(rows)) if i == 0 or rows[i] != rows[i - 1]]
    return list(zip(starts, [*starts[1:], len(rows)], strict=True)) if rows else []


def repeated_share(text: str, ngram: int) -> float:
    """1 - distinct n-grams / n-grams over the words of `text`; 0 for fewer than `ngram` words."""
    words = text.split()
    total = len(words) - ngram + 1
    return 1 - len({tuple(words[i : i + ngram]) for i in range(total)}) / total if total > 0 else 0.0
