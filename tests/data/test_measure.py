"""Measured lengths: quantiles, shares cut, and budgets that keep most rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from exp.config.contracts import Context
from exp.contract.context import lengths
from exp.data.measure import Measured, quantile, smallest_total

TOKENS = st.integers(1, 3000)
SHARES = st.floats(0.05, 0.95)


@given(prompt=TOKENS, share=SHARES)
def test_the_smallest_total_holds_the_prompt_and_one_less_does_not(prompt: int, share: float) -> None:
    total = max(32, smallest_total(prompt, share))
    assert lengths(Context(total=total, prompt_share=share)).prompt >= prompt
    if total > 32:
        assert lengths(Context(total=total - 1, prompt_share=share)).prompt < prompt


@given(rows=st.lists(st.tuples(TOKENS, TOKENS), min_size=1), total=st.integers(32, 4000), share=SHARES)
def test_the_share_cut_is_that_of_the_rows_the_contract_drops(
    rows: list[tuple[int, int]], total: int, share: float
) -> None:
    context = Context(total=total, prompt_share=share)
    limits = lengths(context)
    measured = Measured(context)
    for prompt, completion in rows:
        measured.add(prompt, completion)
    cut = sum(prompt > limits.prompt or prompt + completion > limits.total for prompt, completion in rows)
    assert measured.report()["share_cut"] == cut / len(rows)


def test_the_budget_that_keeps_95_percent_keeps_exactly_those() -> None:
    measured = Measured(Context(total=64))
    for n in range(1, 101):
        measured.add(n, n)
    report = measured.report()
    assert report["smallest_total"] == {"keeps_95": 190, "keeps_99": 198}
    assert report["tokens"]["total"] == {"p50": 100, "p90": 180, "p95": 190, "p99": 198, "max": 200}
    assert report["share_cut"] == 0.68


def test_a_row_without_completion_has_a_prompt_length_alone() -> None:
    measured = Measured(Context(total=64))
    measured.add(10)
    assert list(measured.report()["tokens"]) == ["prompt"]


def test_nothing_measured_is_nothing_cut() -> None:
    assert Measured(Context(total=64)).report() == {"tokens": {}, "smallest_total": {}, "share_cut": 0.0}


@given(values=st.lists(TOKENS, min_size=1), q=st.floats(0, 1))
def test_a_quantile_is_the_smallest_value_that_enough_rows_do_not_exceed(values: list[int], q: float) -> None:
    ordered = sorted(values)
    found = quantile(ordered, q)
    assert sum(v <= found for v in ordered) >= q * len(ordered)
    assert found == ordered[0] or sum(v < found for v in ordered) < q * len(ordered)
