"""The length contract: two lengths that add up to the budget, whatever the budget and the share."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from exp.config.contracts import Context
from exp.contract.context import Lengths, lengths

TOTALS = st.integers(32, 200_000)
SHARES = st.floats(0, 1, exclude_min=True, exclude_max=True)


@given(TOTALS, SHARES)
def test_prompt_and_completion_fill_the_budget_and_neither_is_empty(total: int, share: float) -> None:
    found = lengths(Context(total=total, prompt_share=share))
    assert found.total == total
    assert found.prompt + found.completion == total
    assert found.prompt >= 1
    assert found.completion >= 1


@given(TOTALS, SHARES)
def test_the_prompt_never_takes_more_than_its_share(total: int, share: float) -> None:
    found = lengths(Context(total=total, prompt_share=share))
    assert found.prompt == 1 or found.prompt <= total * share
    assert found.prompt + 1 > total * share or found.prompt == total - 1


@given(TOTALS, SHARES, SHARES)
def test_a_larger_share_is_never_fewer_tokens(total: int, one: float, other: float) -> None:
    small, large = (lengths(Context(total=total, prompt_share=share)).prompt for share in sorted((one, other)))
    assert small <= large


def test_a_known_budget_gives_known_lengths() -> None:
    assert lengths(Context(total=6144, prompt_share=0.2)) == Lengths(total=6144, prompt=1228, completion=4916)
    assert lengths(Context(total=100, prompt_share=0.25)).as_dict() == {"total": 100, "prompt": 25, "completion": 75}
