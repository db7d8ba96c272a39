"""One row, station by station."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from exp.config.contracts import Format
from exp.data.prompts import PromptBuilder
from exp.data.show import Shown, marked, read_row, show_row
from exp.errors import Refused

ROWS = [{"question": f"{i}+{i}?", "reasoning": f"twice {i}", "answer": str(2 * i)} for i in range(5)]


@pytest.fixture
def show(own: Any, write_jsonl: Any, builder: PromptBuilder, formats: dict[str, Format]) -> Any:
    def run(rows: list[dict[str, Any]], use: str, number: int) -> Shown:
        dataset = own(write_jsonl(rows))
        return show_row(read_row(dataset, use, number, 0), use, dataset, formats["think_answer"], builder)

    return run


def test_a_row_is_shown_as_read_as_messages_as_text_and_as_tokens(show: Any) -> None:
    shown = show(ROWS, "sft", 3)
    assert shown.raw == ROWS[2]
    assert [m["role"] for m in shown.messages] == ["system", "user"]
    assert shown.prompt.endswith("<|im_start|>assistant\n")
    assert shown.completion == "<think>\ntwice 2\n</think>\n<answer>4</answer>"
    assert "".join(t.text for t in shown.tokens) == shown.prompt + shown.completion + "<|im_end|>"


def test_the_learnt_tokens_are_the_completion_with_its_stop_token(show: Any) -> None:
    shown = show(ROWS, "sft", 1)
    learnt = [t.text for t in shown.tokens if t.learnt]
    assert "".join(learnt) == shown.completion + "<|im_end|>"
    assert marked(shown.tokens).endswith("⟦<|im_end|>⟧")
    assert "⟦" not in marked([t for t in shown.tokens if not t.learnt])


def test_a_question_without_a_completion_carries_no_loss(show: Any) -> None:
    shown = show(ROWS, "rl", 1)
    assert shown.tokens and not any(t.learnt for t in shown.tokens)
    assert (shown.answer, shown.completion) == ("0", "")


def test_a_row_that_would_be_dropped_is_shown_with_the_reason(show: Any) -> None:
    shown = show([{"question": "?", "answer": "4"}], "sft", 1)
    assert shown.problem.startswith("no reasoning trace")
    assert not shown.tokens


@pytest.mark.parametrize("number", [0, -1, 6])
def test_a_row_that_does_not_exist_is_refused(show: Any, number: int) -> None:
    with pytest.raises(Refused, match=f"there is no row {number}"):
        show(ROWS, "sft", number)


def test_any_row_of_the_real_files_can_be_shown(
    shared_data: Path, own: Any, builder: PromptBuilder, formats: dict[str, Format]
) -> None:
    from exp.config.dataset import Source

    for name, use in (("gsm8k", "sft"), ("svamp", "sft"), ("math500", "eval"), ("jeebench", "rl")):
        source = Source(name=name, split="test" if name in ("math500", "jeebench") else "train")
        dataset = own(shared_data, **{use: source})
        shown = show_row(read_row(dataset, use, 7, 0), use, dataset, formats["think_answer"], builder)
        assert shown.tokens and not shown.problem
