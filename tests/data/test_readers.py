"""The named datasets: the real files, and small rows with the real columns."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from exp.config.dataset import Dataset, Source
from exp.data import readers
from exp.data.examples import Example, Unusable
from exp.data.sources import open_source

SOURCE = Source(name="any")
OPENR1_ROW = {
    "problem": "What is $2+2$?",
    "solution": "It is 4.",
    "answer": "4",
    "problem_type": "Algebra",
    "question_type": "math-word-problem",
    "source": "olympiads",
    "uuid": "u-1",
    "is_reasoning_complete": [False, True, True],
    "generations": ["<think>endless", "<think>5?</think>\\boxed{5}", "<think>sum</think>\\boxed{4}"],
    "correctness_math_verify": [True, False, True],
    "correctness_llama": None,
    "finish_reasons": None,
    "correctness_count": 1,
    "messages": [],
}
THOUGHTS_ROW = {
    "difficulty": 8,
    "source": "ai2-adapt-dev/openmath-2-math",
    "domain": "math",
    "conversations": [{"from": "human", "value": "2+2?"}, {"from": "gpt", "value": "<think>sum</think>\\boxed{4}"}],
}


def read_all(folder: Path, name: str, split: str) -> list[Example]:
    source = Source(name=name, split=split)
    opened = open_source(Dataset(name=name, path=str(folder), eval=source), "eval")
    read = list(opened.read(0))
    assert all(r.example for r in read)
    return [r.example for r in read if r.example]


@pytest.mark.parametrize(("split", "count"), [("train", 7473), ("test", 1319)])
def test_every_gsm8k_row_gives_a_clean_trace_and_a_number(shared_data: Path, split: str, count: int) -> None:
    examples = read_all(shared_data, "gsm8k", split)
    assert len(examples) == count
    assert not any("<<" in str(e.reasoning) or "####" in str(e.reasoning) for e in examples)
    assert all(e.reasoning and e.answer and float(e.answer).is_integer() for e in examples)


def test_gsm8k_calculator_marks_are_removed_and_nothing_else() -> None:
    row = {"question": "How many?", "answer": "Half of 48 is 48/2 = <<48/2=24>>24.\nSo 24.\n#### 1,024"}
    example = readers.gsm8k(row, SOURCE)
    assert (example.reasoning, example.answer) == ("Half of 48 is 48/2 = 24.\nSo 24.", "1024")


def test_every_svamp_trace_is_an_equation_that_holds(shared_data: Path) -> None:
    examples = read_all(shared_data, "svamp", "train")
    assert len(examples) == 1000
    for example in examples:
        left, _, right = str(example.reasoning).rpartition(" = ")
        assert right == example.answer
        assert set(left) <= set("0123456789.+-*/() ")
        assert left.count("(") == left.count(")")


def test_svamp_equations_lose_their_empty_decimals_and_outer_brackets() -> None:
    row = {"Body": "Eight less two", "Question": "How many?", "Equation": "( ( 8.0 - 2.0 ) * 3.5 )", "Answer": "21.0"}
    example = readers.svamp(row, SOURCE)
    assert (example.question, example.reasoning) == ("Eight less two. How many?", "(8 - 2) * 3.5 = 21")


def test_brackets_that_do_not_enclose_the_whole_equation_stay() -> None:
    row = {"Body": "", "Question": "How many?", "Equation": "( 8.0 - 2.0 ) + ( 1.0 * 3.0 )", "Answer": 9}
    assert readers.svamp(row, SOURCE).reasoning == "(8 - 2) + (1 * 3) = 9"


def test_math500_keeps_subject_and_level(shared_data: Path) -> None:
    examples = read_all(shared_data, "math500", "test")
    assert len(examples) == 500
    assert {e.kind for e in examples} == {"math"}
    assert {e.type for e in examples} == {f"level {n}" for n in range(1, 6)}
    assert len({e.subject for e in examples}) == 7


def test_each_type_of_jeebench_question_has_its_own_verifier_and_task(shared_data: Path) -> None:
    examples = read_all(shared_data, "jeebench", "test")
    assert Counter(e.kind for e in examples) == {
        "jee_multiple": 186,
        "jee_numeric": 137,
        "jee_mcq": 110,
        "jee_integer": 82,
    }
    assert len({e.id for e in examples}) == 515
    assert all(e.question.endswith(readers.JEE_TASKS[str(e.type)]) for e in examples)


def test_openr1_gives_its_first_generation_that_is_complete_and_correct() -> None:
    example = readers.openr1_math(OPENR1_ROW, SOURCE)
    assert example.completion == "<think>sum</think>\\boxed{4}"
    assert (example.id, example.answer, example.subject) == ("u-1", "4", "Algebra")


def test_openr1_trusts_the_other_checker_where_the_first_is_silent() -> None:
    row = OPENR1_ROW | {"correctness_math_verify": None, "correctness_llama": [True, True, False]}
    assert readers.openr1_math(row, SOURCE).completion == "<think>5?</think>\\boxed{5}"


def test_openr1_rows_without_a_correct_generation_are_refused() -> None:
    with pytest.raises(Unusable, match="of 3"):
        readers.openr1_math(OPENR1_ROW | {"correctness_math_verify": [True, False, False]}, SOURCE)


def test_openthoughts_is_a_question_and_a_trace_without_a_gold() -> None:
    example = readers.openthoughts3(THOUGHTS_ROW, SOURCE)
    assert (example.question, example.answer) == ("2+2?", None)
    assert example.completion == "<think>sum</think>\\boxed{4}"


def test_openthoughts_keeps_the_chosen_domains() -> None:
    chosen = Source(name="openthoughts3", options={"domains": ["code"]})
    with pytest.raises(Unusable, match="domain not selected"):
        readers.openthoughts3(THOUGHTS_ROW, chosen)
    assert readers.openthoughts3(THOUGHTS_ROW | {"domain": "code"}, chosen).subject == "code"


@pytest.mark.parametrize("reader", [readers.gsm8k, readers.svamp, readers.math500, readers.openr1_math])
@pytest.mark.parametrize("row", [{}, {"question": 7, "answer": 7, "problem": 7, "generations": ["x"], "Answer": "?"}])
def test_a_row_with_other_columns_is_refused(reader: Any, row: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        reader(row, SOURCE)


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_openr1_and_openthoughts_read_from_files_of_a_hub_snapshot(
    tmp_path: Path, write_jsonl: Any, write_parquet: Any, suffix: str
) -> None:
    write = write_jsonl if suffix == "jsonl" else write_parquet
    for number in (0, 1):
        write([OPENR1_ROW] * 2, f"openr1/default/train-0000{number}-of-00002.{suffix}")
    write([OPENR1_ROW], f"openr1/extended/train-00000-of-00001.{suffix}")
    write([THOUGHTS_ROW], f"thoughts/data/train-00000-of-00120.{suffix}")
    openr1 = Source(name="openr1_math", subset="default", path=str(tmp_path / "given" / "openr1"))
    thoughts = Source(name="openthoughts3", path=str(tmp_path / "given" / "thoughts"))
    dataset = Dataset(name="two", sft=thoughts, eval=openr1)
    read = [list(islice(open_source(dataset, use).read(0), 9)) for use in ("eval", "sft")]
    assert [len(rows) for rows in read] == [4, 1]
    assert all(r.example for rows in read for r in rows)
