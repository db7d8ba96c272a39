"""The embedded data set: sums of two numbers below 100, worked out column by column.

Demonstrations come from a weak teacher that forgets the carry in a share of the sums, so that supervised
fine-tuning teaches the form and reinforcement learning has something left to improve. 500 of the 10,000 pairs
are held out for evaluation and never trained on.
"""

from __future__ import annotations

from random import Random
from typing import TypedDict

from exp.errors import refuse

HELD_OUT = 500

Pair = tuple[int, int]


class Example(TypedDict):
    """One sum; `reasoning` is None where nobody worked it out, `answer` is a plain decimal number."""

    id: str
    question: str
    reasoning: str | None
    answer: str


def split_pairs() -> tuple[list[Pair], list[Pair]]:
    """The 9500 pairs for training and the 500 held out, the same in every process."""
    pairs = [(x, y) for x in range(100) for y in range(100)]
    Random(1234).shuffle(pairs)
    return pairs[HELD_OUT:], pairs[:HELD_OUT]


def sft_examples(seed: int, n: int, noise: float = 0.5) -> list[Example]:
    """`n` demonstrations by a teacher that forgets every carry of a sum with probability `noise`.

    `answer` is what the teacher says: where it is wrong, it follows from the equally wrong `reasoning`.
    Raises `Refused` if `n` exceeds the training pairs.
    """
    rng = Random(f"sft-{seed}")
    return [demonstrate(pair, forget_carry=rng.random() < noise) for pair in _sample(rng, n)]


def rl_examples(seed: int, n: int) -> list[Example]:
    """`n` training questions with their true answers and no reasoning. Raises `Refused` as `sft_examples` does."""
    return [_question_with_answer(pair) for pair in _sample(Random(f"rl-{seed}"), n)]


def eval_examples(n: int = HELD_OUT) -> list[Example]:
    """The first `n` held-out questions with their true answers. Raises `Refused` if there are fewer."""
    _, held_out = split_pairs()
    return [_question_with_answer(pair) for pair in _first(held_out, n, "held-out")]


def demonstrate(pair: Pair, forget_carry: bool) -> Example:
    """The sum worked out: ones, tens, then the three digits of the result with the lowest first.

    47+35 is reasoned as `7+5,4+3:280`, or as `7+5,4+3:270` without the carry.
    """
    x, y = pair
    total = _sum_without_carry(x, y) if forget_carry else x + y
    lowest_first = f"{total:03d}"[::-1]
    return _example(pair, f"{x % 10}+{y % 10},{x // 10}+{y // 10}:{lowest_first}", total)


def _question_with_answer(pair: Pair) -> Example:
    return _example(pair, None, sum(pair))


def _example(pair: Pair, reasoning: str | None, total: int) -> Example:
    sum_text = f"{pair[0]:02d}+{pair[1]:02d}"
    return Example(id=f"addition-{sum_text}", question=f"{sum_text}=?", reasoning=reasoning, answer=str(total))


def _sum_without_carry(x: int, y: int) -> int:
    return (x // 10 + y // 10) % 10 * 10 + (x % 10 + y % 10) % 10


def _sample(rng: Random, n: int) -> list[Pair]:
    train, _ = split_pairs()
    return _first(rng.sample(train, len(train)), n, "training")


def _first(pairs: list[Pair], n: int, split: str) -> list[Pair]:
    if not 0 <= n <= len(pairs):
        raise refuse(f"{n} examples were asked for, but the addition task has {len(pairs)} {split} pairs")
    return pairs[:n]
