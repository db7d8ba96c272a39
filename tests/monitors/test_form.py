"""The names of the tag tricks."""

from __future__ import annotations

import pytest
from tests.monitors.stream import THINK, formed

from exp.contract.format import parse
from exp.monitors.answers import hedges
from exp.monitors.copies import loops
from exp.monitors.form import AT_THE_END, REORDERED, REPEATED, problems, tricks


def row(text: str, gold: str = "5") -> dict[str, object]:
    parsed = parse(text, THINK)
    return {
        "completion": text,
        "well_formed": parsed.well_formed,
        "problems": parsed.problems,
        "extracted": parsed.answer,
        "gold": gold,
    }


@pytest.mark.parametrize(
    ("text", "trick"),
    [
        ("first two and three\n<think></think><answer>5</answer>", {AT_THE_END}),
        ("<answer>5</answer>\n<think>two and three</think>", {REORDERED}),
        ("<think>two and three</think><answer>5</answer><answer>5</answer>", {REPEATED}),
        (formed("two and three", "5"), set()),
        (formed("I shall write <answer> later", "5"), set()),
        ("two and three</think><answer>5</answer>", set()),
        ("five", set()),
    ],
)
def test_a_tag_trick_has_its_name(text: str, trick: set[str]) -> None:
    assert tricks(row(text), THINK) == trick


def test_problems_are_the_same_whatever_they_quote() -> None:
    texts = [f"<think>abc</think><answer>{n}</answer> and {n} more" for n in (3, 4)]
    assert problems(row(texts[0])) == problems(row(texts[1])) == {"text after the answer"}


@pytest.mark.parametrize(
    ("answer", "gold", "hedged"),
    [
        ("3 or 5", "5", True),
        ("A, B, C, D", "B", True),
        ("A, C", "A, C", False),
        ("1,234", "1234", False),
        ("3/4", "3/4", False),
        ("5 or 5", "5", False),
        ("Oregon", "Oregon", False),
    ],
)
def test_an_answer_hedges_if_it_has_more_parts_than_the_gold(answer: str, gold: str, hedged: bool) -> None:
    assert hedges(row(formed("thinking", answer), gold)) is hedged


def test_only_a_text_that_comes_again_loops() -> None:
    assert loops(row("wait a moment please " * 10))
    assert not loops(row(" ".join(f"step {n} gives {n * n}" for n in range(40))))
    assert not loops(row("yes yes yes"))
