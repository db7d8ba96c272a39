"""The grammar of completions: what is well formed, where an answer counts, and that writing and reading are inverse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from exp.config.contracts import Format
from exp.contract.format import parse, render, text_problems

FOLDER = Path(__file__).resolve().parents[2] / "conf" / "format"
FORMATS = {path.stem: Format(**yaml.safe_load(path.read_text(encoding="utf-8"))) for path in FOLDER.glob("*.yaml")}
THINK, BOXED, THINK_BOXED = FORMATS["think_answer"], FORMATS["boxed"], FORMATS["think_boxed"]
GOOD = "<think>\nTwo and three make five.\n</think>\n<answer>5</answer>"
BODIES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=60)


def test_the_shipped_formats_are_the_four_named_ones() -> None:
    assert set(FORMATS) == {"think_answer", "working_out", "think_boxed", "boxed"}


@pytest.mark.parametrize("name", ["think_answer", "working_out", "think_boxed"])
def test_every_recorded_format_case_is_judged_as_labelled(name: str, shared_data: Path) -> None:
    fmt = FORMATS[name]
    tags = {
        "{A}": fmt.reasoning_open,
        "{B}": fmt.reasoning_close,
        "{C}": fmt.answer_open or "\\boxed{",
        "{D}": fmt.answer_close or "}",
    }
    lines = (shared_data / "format_cases.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 10
    for case in map(json.loads, lines):
        text = case["template"]
        for placeholder, tag in tags.items():
            text = text.replace(placeholder, tag)
        assert parse(text, fmt).well_formed == case["expected_well_formed"], case


def test_a_good_completion_has_no_problems() -> None:
    parsed = parse(GOOD, THINK)
    assert (parsed.reasoning, parsed.answer, parsed.problems) == ("Two and three make five.", "5", ())


@pytest.mark.parametrize("blank", ["", " ", "\n", "\n\n"])
def test_newlines_around_tags_do_not_matter(blank: str) -> None:
    text = blank.join(["", "<think>", "Two and three.", "</think>", "<answer>", "5", "</answer>", ""])
    assert parse(text, THINK).well_formed


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Well: " + GOOD, "text before the reasoning"),
        (GOOD + " Done.", "text after the answer"),
        (GOOD.replace("<answer>", "so <answer>"), "text between the reasoning and the answer"),
        (GOOD + "<answer>5</answer>", "2 answer blocks"),
        (GOOD.replace("</think>", "</think></think>"), "reasoning tags again after the reasoning"),
        (GOOD.replace("5<", "5<answer><"), "text between the reasoning and the answer"),
        (GOOD.replace("5<", "5</think><"), "reasoning tags again after the reasoning"),
        (GOOD.replace("Two and three make five.", "<answer></answer>"), "the reasoning holds fewer than 3 characters"),
        (GOOD.replace("5<", " <"), "the answer is empty"),
        (GOOD.replace("<think>", ""), "the reasoning is not opened by <think>"),
    ],
)
def test_a_malformed_completion_says_what_is_wrong(text: str, problem: str) -> None:
    assert problem in parse(text, THINK).problems


def test_an_unfinished_reasoning_block_holds_no_answer() -> None:
    parsed = parse("<think>I try <answer>5</answer> first", THINK)
    assert parsed.answer is None
    assert not parsed.well_formed


def test_an_answer_inside_the_reasoning_does_not_count() -> None:
    assert parse("<think>a step <answer>5</answer></think>", THINK).answer is None


def test_a_malformed_completion_still_holds_its_answer() -> None:
    assert parse("<answer>5</answer>", THINK).answer == "5"
    assert parse("<answer>5</answer><think>later thoughts</think>", THINK).answer == "5"


def test_several_different_answers_are_no_answer() -> None:
    parsed = parse(GOOD + "<answer>6</answer>", THINK)
    assert parsed.answer is None
    assert any("different answers" in problem for problem in parsed.problems)


def test_the_first_closing_tag_ends_the_reasoning() -> None:
    text = "<think>I will write </think> and <answer>.</think><answer>5</answer>"
    assert not parse(text, THINK).well_formed


def test_tags_named_in_the_reasoning_do_not_spoil_the_form() -> None:
    text = "<think>The result goes between <answer> and </answer>, after <think>.</think><answer>5</answer>"
    assert parse(text, THINK).problems == ()


def test_a_completion_without_its_stop_token_is_malformed_but_keeps_its_answer() -> None:
    parsed = parse(GOOD, THINK, ended=False)
    assert parsed.answer == "5"
    assert parsed.problems == ("cut off before the stop token",)


def test_the_opening_tag_may_stand_in_the_prompt() -> None:
    rest = GOOD.removeprefix("<think>")
    assert parse(rest, THINK, opened=True).well_formed
    assert not parse(rest, THINK).well_formed
    assert not parse(GOOD, THINK, opened=True).well_formed


def test_the_last_box_after_the_reasoning_is_the_answer() -> None:
    text = "<think>maybe \\boxed{4}</think>The answer is \\boxed{\\frac{1}{2}}."
    parsed = parse(text, THINK_BOXED)
    assert (parsed.answer, parsed.problems) == ("\\frac{1}{2}", ())


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("First \\boxed{3}.\n\nNo: it is \\boxed{5}.", "5"),
        ("Put it in \\boxed{}. It is \\boxed{7}", "7"),
        ("So \\boxed{\\{1,2\\}}", "\\{1,2\\}"),
        ("So \\boxed{\\boxed{5}}", "5"),
        ("It is \\boxed{3} or \\boxed{5}", None),
        ("It is \\boxed{5} and so \\boxed{1", None),
        ("It is 5.", None),
    ],
)
def test_a_format_without_tags_takes_its_last_complete_box(text: str, answer: str | None) -> None:
    assert parse(text, BOXED).answer == answer


def test_text_after_the_box_is_malformed_but_closing_marks_are_not() -> None:
    assert parse("We add: $\\boxed{5}$.", BOXED).well_formed
    assert not parse("We add: \\boxed{5}. And more.", BOXED).well_formed


@pytest.mark.parametrize("name", sorted(FORMATS))
@given(reasoning=BODIES, answer=BODIES, opened=st.booleans())
def test_what_is_rendered_is_read_back(name: str, reasoning: str, answer: str, opened: bool) -> None:
    fmt = FORMATS[name]
    if text_problems(reasoning, answer, fmt):
        with pytest.raises(ValueError):
            render(reasoning, answer, fmt, opened=opened)
        return
    parsed = parse(render(reasoning, answer, fmt, opened=opened), fmt, opened=opened)
    assert (parsed.reasoning, parsed.answer, parsed.problems) == (reasoning.strip(), answer.strip(), ())


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_ordinary_bodies_can_be_rendered(name: str) -> None:
    assert text_problems("We add 2 and 3:\n\n2 + 3 = 5.", "\\frac{10}{2}", FORMATS[name]) == ()


@pytest.mark.parametrize(
    ("reasoning", "answer"),
    [("a </think> b", "5"), ("abc", "<answer>"), ("abc", " "), ("a", "5"), ("abc <answer> d", "5")],
)
def test_bodies_that_would_break_the_grammar_cannot_be_rendered(reasoning: str, answer: str) -> None:
    assert text_problems(reasoning, answer, THINK)
    with pytest.raises(ValueError):
        render(reasoning, answer, THINK)


def test_an_answer_with_unbalanced_braces_cannot_stand_in_a_box() -> None:
    assert text_problems("We add.", "5}", BOXED)


@pytest.mark.parametrize("name", sorted(FORMATS))
@given(
    pieces=st.lists(
        st.sampled_from(["<think>", "</think>", "<answer>", "</answer>", "\\boxed{", "}", "5", "word ", "\n", "\\"])
        | st.text(max_size=5),
        max_size=12,
    ),
    opened=st.booleans(),
    ended=st.booleans(),
)
def test_any_text_is_parsed(name: str, pieces: list[str], opened: bool, ended: bool) -> None:
    parsed = parse("".join(pieces), FORMATS[name], opened=opened, ended=ended)
    assert parsed.well_formed == (not parsed.problems)
    if parsed.well_formed:
        assert ended
        assert parsed.answer
        assert parsed.reasoning
