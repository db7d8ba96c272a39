"""Retagging: other tags, same words, or a reason why not."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from exp.config.contracts import Format
from exp.contract.format import parse, render
from exp.data.examples import Unusable
from exp.data.retag import Trace, read_trace, retag, write_trace

FORMATS = {
    "think_answer": Format(
        system_prompt="",
        reasoning_open="<think>",
        reasoning_close="</think>",
        answer_open="<answer>",
        answer_close="</answer>",
    ),
    "think_boxed": Format(system_prompt="", reasoning_open="<think>", reasoning_close="</think>", answer_in_box=True),
    "working_out": Format(
        system_prompt="",
        reasoning_open="<start_working_out>",
        reasoning_close="<end_working_out>",
        answer_open="<SOLUTION>",
        answer_close="</SOLUTION>",
    ),
    "boxed": Format(system_prompt="", answer_in_box=True),
}
OPENR1 = "<think>\nThe sum is \\boxed{3}? No.\nIt is 4.\n</think>\n\nAdding gives **4**, so the answer is $\\boxed{4}$."


@pytest.mark.parametrize(("source", "target"), list(permutations(FORMATS, 2)))
@given(reasoning=st.text(min_size=3), answer=st.text(min_size=1))
def test_a_trace_reads_the_same_in_every_format(source: str, target: str, reasoning: str, answer: str) -> None:
    try:
        text = render(reasoning, answer, FORMATS[source])
        moved = retag(text, FORMATS[source], FORMATS[target])
    except (ValueError, Unusable):
        reject()
    back = parse(moved, FORMATS[target])
    assert back.well_formed
    assert (back.reasoning, back.answer) == (reasoning.strip(), answer.strip())
    there_and_back = retag(moved, FORMATS[target], FORMATS[source])
    assert read_trace(there_and_back, FORMATS[source]) == read_trace(text, FORMATS[source])


def test_an_openr1_trace_moves_into_the_tags_of_the_run() -> None:
    moved = retag(OPENR1, FORMATS["think_boxed"], FORMATS["working_out"])
    assert moved == (
        "<start_working_out>\nThe sum is \\boxed{3}? No.\nIt is 4.\n<end_working_out>\n<SOLUTION>4</SOLUTION>"
    )


def test_the_opening_tag_is_left_to_a_template_that_writes_it() -> None:
    moved = retag(OPENR1, FORMATS["think_boxed"], FORMATS["think_answer"], opened=True)
    assert not moved.startswith("<think>")
    assert parse(moved, FORMATS["think_answer"], opened=True).answer == "4"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<think>\nno end", "not closed"),
        ("<think>\nsums\n</think>\nfour", "no answer"),
        ("four", "not opened"),
        ("<think>\nsums\n</think>\n\\boxed{4} or \\boxed{5}", "different answers"),
    ],
)
def test_a_trace_that_is_not_in_the_format_of_its_source_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(Unusable, match=why) as refusal:
        retag(text, FORMATS["think_boxed"], FORMATS["working_out"])
    assert refusal.value.reason == "trace is not in the source's format"


def test_a_trace_that_speaks_of_the_target_tags_is_refused() -> None:
    with pytest.raises(Unusable, match="</SOLUTION>") as refusal:
        write_trace(Trace("then close with </SOLUTION>", "4"), FORMATS["working_out"])
    assert refusal.value.reason == "trace cannot be written in the run's format"


def test_an_answer_that_cannot_stand_in_a_box_is_refused() -> None:
    with pytest.raises(Unusable, match="brace"):
        write_trace(Trace("sets begin so", "{1, 2"), FORMATS["think_boxed"])
