"""The layouts of training text: recognised, converted, refused where they could mean two things."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exp.config.contracts import Format
from exp.config.dataset import Source
from exp.data.examples import Unusable
from exp.data.shapes import READ, detect, example_of, shape_of

THINK = Format(system_prompt="", reasoning_open="<think>", reasoning_close="</think>", answer_in_box=True)
ROWS = Source(name="rows")
TAGGED = Source(name="rows", format=THINK)

ALPACA = {"instruction": "Add.", "input": "2 and 2", "output": "4"}
SHAREGPT = {"conversations": [{"from": "human", "value": "2+2?"}, {"from": "gpt", "value": "4"}]}
MESSAGES = {"messages": [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]}
PROMPT_COMPLETION = {"prompt": "2+2?", "completion": "4"}
QUESTION_ANSWER = {"question": "2+2?", "answer": "4"}
TEXT = {"text": "2+2?\n<think>sum</think>\\boxed{4}"}
EVERY_SHAPE = {
    "alpaca": ALPACA,
    "sharegpt": SHAREGPT,
    "messages": MESSAGES,
    "prompt_completion": PROMPT_COMPLETION,
    "question_answer": QUESTION_ANSWER,
    "text": TEXT,
}
word = st.text(min_size=1).filter(lambda text: text.strip())


@pytest.mark.parametrize("shape", list(EVERY_SHAPE))
def test_every_shape_is_recognised_by_its_columns(shape: str) -> None:
    assert detect(EVERY_SHAPE[shape]) == [shape]


def test_the_tests_cover_every_shape() -> None:
    assert set(EVERY_SHAPE) == set(READ)


def test_a_row_that_fits_two_shapes_is_refused_with_its_number_and_both_names() -> None:
    with pytest.raises(Unusable, match=r"row 7 can be read as alpaca or as question_answer"):
        shape_of(ALPACA | QUESTION_ANSWER, "auto", 7)


def test_a_row_that_fits_two_shapes_is_read_as_the_one_that_is_named() -> None:
    assert shape_of(ALPACA | QUESTION_ANSWER, "alpaca", 7) == "alpaca"


def test_a_row_of_no_known_shape_is_refused_with_its_columns() -> None:
    with pytest.raises(Unusable, match=r"row 3 has the columns Frage, Antwort"):
        shape_of({"Frage": "?", "Antwort": "!"}, "auto", 3)


@given(instruction=word, extra=word, output=word)
def test_alpaca_input_follows_the_instruction(instruction: str, extra: str, output: str) -> None:
    example = example_of({"instruction": instruction, "input": extra, "output": output}, "alpaca", ROWS)
    assert example.question == f"{instruction.strip()}\n\n{extra.strip()}"
    assert example.completion == output


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_alpaca_without_input_is_the_instruction_alone(empty: str | None) -> None:
    assert example_of(ALPACA | {"input": empty}, "alpaca", ROWS).question == "Add."


@given(said=st.lists(word, min_size=1, max_size=7))
def test_sharegpt_and_messages_say_the_same(said: list[str]) -> None:
    sharegpt = [{"from": ("human", "gpt")[i % 2], "value": text} for i, text in enumerate(said)]
    messages = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(said)]
    one = example_of({"conversations": sharegpt}, "sharegpt", ROWS)
    other = example_of({"messages": messages}, "messages", ROWS)
    assert one == other
    turns = [turn["content"] for turn in one.history] + [one.question] + [one.completion] * (len(said) % 2 == 0)
    assert [text.strip() for text in turns if text] == [text.strip() for text in said]


def test_messages_under_the_name_conversations_are_recognised() -> None:
    assert detect({"conversations": MESSAGES["messages"]}) == ["messages"]


def test_a_system_turn_of_the_data_makes_room_for_the_one_of_the_format() -> None:
    row = {"messages": [{"role": "system", "content": "Be brief."}, *MESSAGES["messages"]]}
    example = example_of(row, "messages", ROWS)
    assert (example.history, example.question, example.completion) == ((), "2+2?", "4")


def test_a_conversation_that_ends_with_a_question_has_no_completion() -> None:
    example = example_of({"messages": MESSAGES["messages"][:1]}, "messages", ROWS)
    assert (example.question, example.completion) == ("2+2?", None)


@pytest.mark.parametrize(
    ("turns", "why"),
    [
        ([], "found none"),
        ("hello", "not a list"),
        ([{"role": "assistant", "content": "4"}], "found assistant"),
        ([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], "found user, user"),
        ([{"role": "tool", "content": "4"}], "a turn needs"),
        ([{"role": "user", "content": None}], "a turn needs"),
        ([{"role": "user", "content": "  "}], "the question is empty"),
    ],
)
def test_turns_out_of_order_are_refused_with_the_reason(turns: Any, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        example_of({"messages": turns}, "messages", ROWS)


def test_prompt_and_completion_may_be_lists_of_messages() -> None:
    row = {"prompt": MESSAGES["messages"][:1], "completion": MESSAGES["messages"][1:]}
    assert detect(row) == ["prompt_completion"]
    example = example_of(row, "prompt_completion", ROWS)
    assert (example.question, example.completion) == ("2+2?", "4")


def test_prompt_and_completion_of_two_kinds_are_refused() -> None:
    with pytest.raises(Unusable, match="both be texts"):
        example_of({"prompt": "2+2?", "completion": MESSAGES["messages"][1:]}, "prompt_completion", ROWS)


def test_question_and_answer_may_come_with_reasoning_and_more() -> None:
    row = QUESTION_ANSWER | {"id": 5, "reasoning": "two and two", "kind": "integer", "subject": "sums"}
    example = example_of(row, "question_answer", ROWS)
    assert (example.id, example.answer, example.reasoning) == ("5", "4", "two and two")
    assert (example.kind, example.subject, example.completion) == ("integer", "sums", None)


def test_a_number_as_answer_is_read_as_its_text() -> None:
    assert example_of({"question": "2+2?", "answer": 4}, "question_answer", ROWS).answer == "4"


def test_raw_text_in_chatml_is_read_turn_by_turn() -> None:
    text = "<|im_start|>system\nHi<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>\n"
    example = example_of({"text": text}, "text", ROWS)
    assert (example.question, example.completion) == ("2+2?", "4")


def test_raw_text_in_the_alpaca_prompt_is_read_by_its_headings() -> None:
    text = "Below is a task.\n\n### Instruction:\nAdd.\n\n### Input:\n2 and 2\n\n### Response:\n4"
    example = example_of({"text": text}, "text", ROWS)
    assert (example.question, example.completion) == ("Add.\n\n2 and 2", "4")


def test_raw_text_is_split_where_the_trace_opens() -> None:
    example = example_of(TEXT, "text", TAGGED)
    assert (example.question, example.completion) == ("2+2?", "<think>sum</think>\\boxed{4}")


@pytest.mark.parametrize(("source", "why"), [(ROWS, "names no opening tag"), (TAGGED, "no <think> after a question")])
def test_raw_text_without_a_visible_border_is_refused(source: Source, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        example_of({"text": "Two and two make four."}, "text", source)


NAMES = st.sampled_from(["messages", "conversations", "text", "question", "answer", "prompt", "completion", "output"])
VALUES = st.none() | st.text() | st.integers() | st.lists(st.dictionaries(st.sampled_from(["role", "from"]), st.text()))


@given(row=st.dictionaries(NAMES, VALUES))
def test_any_row_is_read_or_refused(row: dict[str, Any]) -> None:
    for shape in READ:
        try:
            example = example_of(row, shape, TAGGED)
        except Unusable:
            continue
        assert example.question
