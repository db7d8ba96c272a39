"""The statistics of evaluation against reference implementations, and what they promise, by simulation."""

from __future__ import annotations

import random
from math import sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from exp.statistics import clustered_interval, mcnemar, paired, wilson


@given(st.integers(1, 2000), st.data())
def test_the_wilson_interval_is_scipys(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    expected = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson(successes, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_the_wilson_interval_is_exact_at_its_ends_and_says_nothing_of_nothing() -> None:
    assert wilson(0, 500)[0] == 0.0
    assert wilson(500, 500)[1] == 1.0
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemars_p_is_scipys_exact_binomial_test(wins: int, losses: int) -> None:
    expected = stats.binomtest(wins, wins + losses, 0.5).pvalue if wins + losses else 1.0
    assert mcnemar(wins, losses) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_a_paired_comparison_counts_wins_and_losses_and_holds_its_difference(pairs: list[tuple[bool, bool]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found = paired(first, second)
    assert found.difference == pytest.approx((sum(second) - sum(first)) / len(pairs))
    assert (found.wins, found.losses) == (sum(b > a for a, b in pairs), sum(a > b for a, b in pairs))
    assert -1 <= found.ci95[0] <= found.ci95[1] <= 1
    swapped = paired(second, first)
    assert swapped.ci95 == pytest.approx((-found.ci95[1], -found.ci95[0]))
    assert swapped.p == found.p


def test_the_paired_interval_is_walds_with_half_a_count_in_each_cell() -> None:
    # 100 questions: 50 both right, 20 only the second, 5 only the first, 25 neither (Agresti and Min 2005).
    first = [True] * 50 + [False] * 20 + [True] * 5 + [False] * 25
    second = [True] * 50 + [True] * 20 + [False] * 5 + [False] * 25
    wins, losses, n = 20.5 / 102, 5.5 / 102, 102
    half = stats.norm.ppf(0.975) * sqrt((wins + losses - (wins - losses) ** 2) / n)
    expected = (wins - losses - half, wins - losses + half)
    assert paired(first, second).ci95 == pytest.approx(expected, abs=1e-9)


def test_answers_of_different_lengths_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired([True], [True, False])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=50))
def test_the_clustered_interval_is_the_normal_one_of_the_questions_means(means: list[float]) -> None:
    error = stats.sem(means)
    assume(error > 0)
    centre = sum(means) / len(means)
    half = stats.norm.ppf(0.975) * error
    expected = (max(0.0, centre - half), min(1.0, centre + half))
    assert clustered_interval(means) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_questions_that_all_agree_are_still_only_so_many_questions(rate: float) -> None:
    assert clustered_interval([rate] * 20) == wilson(20 * rate, 20)


def test_one_question_says_nothing_of_others() -> None:
    assert clustered_interval([1.0]) == (0.0, 1.0)


@pytest.mark.parametrize("rate", [0.05, 0.4, 0.9])
def test_the_wilson_interval_covers_the_true_rate_as_often_as_it_says(rate: float) -> None:
    rng = random.Random(1)
    n, repeats = 60, 3000
    intervals = [wilson(sum(rng.random() < rate for _ in range(n)), n) for _ in range(repeats)]
    assert sum(low <= rate <= high for low, high in intervals) / repeats == pytest.approx(0.95, abs=0.025)


def test_the_paired_interval_covers_the_true_difference_as_often_as_it_says() -> None:
    rng = random.Random(2)
    n, repeats, only_first, only_second = 80, 3000, 0.1, 0.25
    covered = 0
    for _ in range(repeats):
        draws = [rng.random() for _ in range(n)]
        first = [d < only_first or d > 0.7 for d in draws]
        second = [only_first <= d < only_first + only_second or d > 0.7 for d in draws]
        low, high = paired(first, second).ci95
        covered += low <= only_second - only_first <= high
    assert covered / repeats == pytest.approx(0.95, abs=0.02)


def test_the_clustered_interval_covers_where_counting_repeats_as_questions_would_not() -> None:
    rng = random.Random(3)
    questions, samples, repeats = 100, 8, 1500
    clustered = naive = 0
    for _ in range(repeats):
        chances = [rng.betavariate(0.5, 0.5) for _ in range(questions)]
        means = [sum(rng.random() < chance for _ in range(samples)) / samples for chance in chances]
        low, high = clustered_interval(means)
        clustered += low <= 0.5 <= high
        low, high = wilson(sum(means) * samples, questions * samples)
        naive += low <= 0.5 <= high
    assert clustered / repeats == pytest.approx(0.95, abs=0.02)
    assert naive / repeats < 0.75


def test_the_exact_test_rejects_no_more_often_than_its_level_where_nothing_differs() -> None:
    rng = random.Random(4)
    rejected = 0
    for _ in range(2000):
        wins = sum(rng.random() < 0.5 for _ in range(30))
        rejected += mcnemar(wins, 30 - wins) < 0.05
    assert rejected / 2000 <= 0.05
