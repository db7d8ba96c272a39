"""The attacks are what they say they are: ignorant of the gold, or holding it, and wrong answers are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from exp.config.contracts import Format
from exp.contract.format import parse, render
from exp.rewards.attacks import ATTACKS, REASONING, Holds, Row, credit, in_form, most_frequent_gold, wrong_answers
from exp.rewards.judge import judge

CONF = Path(__file__).resolve().parents[2] / "conf"
FORMATS = {
    file.stem: Format(**yaml.safe_load(file.read_text(encoding="utf-8"))) for file in (CONF / "format").glob("*.yaml")
}
ROWS: list[Row] = [
    {"question": "How many legs do 3 cats have?", "gold": "12", "kind": "number"},
    {"question": "What is 20 + 15?", "gold": "35", "kind": "number"},
    {"question": "Half of 24?", "gold": "12", "kind": "number"},
]
# The wrong answer behind filler reasoning is made to differ from the gold.
IGNORANT = [name for name, one in ATTACKS.items() if one.holds is Holds.NOTHING and name != "filler reasoning"]
BY_FORMAT = pytest.mark.parametrize("fmt", FORMATS.values(), ids=FORMATS)


@BY_FORMAT
def test_a_completion_in_form_is_the_one_that_sft_would_teach(fmt: Format) -> None:
    assert in_form(ROWS[0], "12", fmt).text == render(REASONING, "12", fmt)


def test_known_reasoning_is_used() -> None:
    row = ROWS[0] | {"reasoning": "Each cat has four."}
    assert "<think>\nEach cat has four.\n</think>" in in_form(row, "12", FORMATS["think_answer"]).text


def test_reasoning_is_as_long_as_the_format_asks() -> None:
    fmt = FORMATS["think_answer"].model_copy(update={"min_reasoning_chars": 1000})
    assert parse(in_form(ROWS[0], "12", fmt).text, fmt).well_formed


@BY_FORMAT
@pytest.mark.parametrize("name", IGNORANT)
def test_an_attack_that_holds_nothing_reads_the_same_for_any_gold(name: str, fmt: Format) -> None:
    attack = ATTACKS[name]
    assert attack.write(ROWS[0] | {"gold": "77"}, fmt, ROWS) == attack.write(ROWS[0], fmt, ROWS)


@BY_FORMAT
def test_an_attack_that_holds_the_gold_contains_it_or_what_it_follows_from(fmt: Format) -> None:
    for name, attack in ATTACKS.items():
        completion = attack.write(ROWS[1], fmt, ROWS)
        if attack.holds is not Holds.NOTHING and completion is not None:
            assert "35" in completion.text or "20 + 15" in completion.text, name


@BY_FORMAT
def test_nearly_every_attack_fits_every_format(fmt: Format) -> None:
    unfit = [name for name, attack in ATTACKS.items() if attack.write(ROWS[1], fmt, ROWS) is None]
    assert len(unfit) <= 4
    assert unfit == [] or not fmt.answer_open


@BY_FORMAT
def test_what_is_called_cut_off_did_not_end_and_the_rest_did(fmt: Format) -> None:
    for name, attack in ATTACKS.items():
        completion = attack.write(ROWS[1], fmt, ROWS)
        assert completion is None or completion.ended != name.startswith("cut off")


@BY_FORMAT
def test_an_attack_with_the_answer_in_broken_form_is_not_well_formed(fmt: Format) -> None:
    for name, attack in ATTACKS.items():
        completion = attack.write(ROWS[1], fmt, ROWS)
        if attack.holds is Holds.ANSWER and completion is not None:
            assert not judge([completion], ["35"], ["number"], fmt)[0].well_formed, name


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("20+15=?", "20+15"),
        ("What is 3 * 4 - 2, if 1 + 1 = 2?", "3 * 4 - 2"),
        ("Work out 24 ÷ 3.", "24 ÷ 3"),
        ("What is 1/2 of 10?", None),
        ("Tom has 3 pens.", None),
    ],
)
def test_the_longest_expression_of_the_question_is_given_as_it_stands(question: str, expression: str | None) -> None:
    row: Row = {"question": question, "gold": "1", "kind": "number"}
    completion = ATTACKS["sum not worked out"].write(row, FORMATS["think_answer"], [row])
    assert expression == (completion and parse(completion.text, FORMATS["think_answer"]).answer)


@pytest.mark.parametrize(
    ("kind", "golds"),
    [
        ("number", ["12", "-3", "2.5", "1,000"]),
        ("integer", ["0", "1"]),
        ("math", [r"\frac{1}{2}", "(1, 2)", "x^2"]),
        ("exact", ["blue", "grey"]),
        ("jee_mcq", ["A", "D"]),
        ("jee_multiple", ["AC", "ABCD", "C", "A"]),
        ("jee_numeric", ["0.75", "-11.62"]),
        ("mine.py:colour", ["grey", "blue"]),
    ],
)
def test_wrong_answers_deserve_no_credit_and_differ(kind: str, golds: list[str]) -> None:
    rows: list[Row] = [{"question": f"{gold}?", "gold": gold, "kind": kind} for gold in golds]
    for row in rows:
        answers = wrong_answers(row, rows)
        assert answers
        assert [credit(answer, row) for answer in answers] == [0.0] * len(answers)


def test_where_all_golds_are_equal_the_wrong_answer_is_the_altered_gold() -> None:
    rows: list[Row] = [{"question": q, "gold": "7", "kind": "number"} for q in "abc"]
    assert wrong_answers(rows[0], rows) == ["8"]


def test_the_most_frequent_gold_is_the_commonest_text() -> None:
    assert most_frequent_gold(ROWS) == "12"


@settings(max_examples=40, deadline=None)
@given(gold=st.integers(-(10**6), 10**6), words=st.text(max_size=60), fmt=st.sampled_from(sorted(FORMATS)))
def test_nothing_that_lacks_the_answer_is_right_under_any_format(gold: int, words: str, fmt: str) -> None:
    row: Row = {"question": f"Q{words}", "gold": str(gold), "kind": "integer"}
    for name, attack in ATTACKS.items():
        completion = attack.write(row, FORMATS[fmt], [row, *ROWS])
        if completion is None or attack.holds is Holds.ANSWER or name in ("echo of the question", "sum not worked out"):
            continue
        judged = judge([completion], [str(gold)], ["integer"], FORMATS[fmt])[0]
        lucky = attack.holds is Holds.NOTHING and judged.extracted is not None and credit(judged.extracted, row) > 0
        assert lucky or judged.score == 0.0, (name, judged)
