"""The statistics of evaluation, each with its source. Rates are fractions between 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist

Z95 = NormalDist().inv_cdf(0.975)


def wilson(successes: float, n: int, z: float = Z95) -> tuple[float, float]:
    """Wilson score interval of a rate (Wilson 1927); (0, 1) when nothing was observed."""
    if n == 0:
        return 0.0, 1.0
    rate = successes / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    # At either end the bound is exact; the formula misses it by a rounding error.
    return 0.0 if successes == 0 else centre - half, 1.0 if successes == n else centre + half


def clustered_interval(per_question: Sequence[float], z: float = Z95) -> tuple[float, float]:
    """Interval of a mean over questions; repeats of one are averaged first, lest they count as questions.

    Normal approximation with the sample deviation between questions (arXiv 2411.00640), clipped to [0, 1].
    Where all questions agree it has no width and says nothing; Wilson's interval of as many questions stands in.
    """
    n = len(per_question)
    if n < 2:
        return 0.0, 1.0
    mean = sum(per_question) / n
    half = z * sqrt(sum((x - mean) ** 2 for x in per_question) / (n - 1) / n)
    if half == 0:
        return wilson(mean * n, n)
    return max(0.0, mean - half), min(1.0, mean + half)


@dataclass(frozen=True)
class Paired:
    """Comparison of two models on the same questions."""

    difference: float
    """Accuracy of the second minus accuracy of the first."""
    ci95: tuple[float, float]
    wins: int
    """Questions only the second answers rightly."""
    losses: int
    """Questions only the first answers rightly."""
    p: float
    """Two-sided p value of the exact McNemar test."""


def paired(first: Sequence[bool], second: Sequence[bool], z: float = Z95) -> Paired:
    """Compare right answers question by question.

    The interval is Wald's for a paired difference with the Agresti–Min adjustment, half a count added to each of the
    four cells; p is the exact McNemar test, a binomial test of wins against losses. At least one question is needed.
    """
    n = len(first)
    wins = sum(b and not a for a, b in zip(first, second, strict=True))
    losses = sum(a and not b for a, b in zip(first, second, strict=True))
    w, lo, total = wins + 0.5, losses + 0.5, n + 2
    centre = (w - lo) / total
    half = z * sqrt(max(0.0, w + lo - (w - lo) ** 2 / total)) / total
    return Paired(
        (wins - losses) / n, (max(-1.0, centre - half), min(1.0, centre + half)), wins, losses, mcnemar(wins, losses)
    )


def mcnemar(wins: int, losses: int) -> float:
    """Two-sided exact McNemar p value: the chance of a split this uneven if both directions were equally likely."""
    n = wins + losses
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n
    return min(1.0, 2 * tail)
