"""The examination's marks of JEEBench as a reward."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exp.config.compose import compose_point
from exp.config.contracts import Format
from exp.rewards.choice import JEE_KINDS
from exp.rewards.functions import Batch, jee_marks
from exp.rewards.judge import Completion, judge

FORMAT: Format = compose_point([]).format


def marks(answers: list[str], golds: list[str], kinds: list[str]) -> list[float | None]:
    """The marks of these answers, each in good form."""
    completions = [Completion(f"<think>I think.</think><answer>{answer}</answer>") for answer in answers]
    rows = [{"kind": kind} for kind in kinds]
    return jee_marks(Batch(completions, judge(completions, golds, kinds, FORMAT), golds, rows))


@pytest.mark.parametrize(
    ("kind", "gold", "answer", "expected"),
    [
        ("jee_mcq", "B", "B", 3),
        ("jee_mcq", "B", "C", -1),
        ("jee_mcq", "B", "B or C", -1),
        ("jee_mcq", "B", "", 0),
        ("jee_multiple", "ABD", "ABD", 4),
        ("jee_multiple", "ABD", "AB", 2),
        ("jee_multiple", "ABD", "D", 1),
        ("jee_multiple", "ABCD", "ABC", 3),
        ("jee_multiple", "C", "C", 4),
        ("jee_multiple", "ABD", "AC", -2),
        ("jee_multiple", "ABD", "ABCD", -2),
        ("jee_multiple", "ABD", "", 0),
        ("jee_multiple", "ABD", "I do not know", 0),
        ("jee_integer", "5", "5", 3),
        ("jee_integer", "5", "6", 0),
        ("jee_numeric", "0.75", "0.75", 3),
        ("jee_numeric", "0.75", "0.85", 0),
        ("number", "5", "5", 1),
        ("number", "5", "6", 0),
    ],
)
def test_marks_follow_the_examination(kind: str, gold: str, answer: str, expected: float) -> None:
    assert marks([answer], [gold], [kind]) == [expected]


def test_a_row_without_a_kind_gets_its_own_score() -> None:
    completion = Completion("<think>I think.</think><answer>5</answer>")
    batch = Batch([completion], judge([completion], ["5"], ["number"], FORMAT), ["5"], [{}])
    assert jee_marks(batch) == [1.0]


def test_recorded_answers_get_the_marks_that_their_letters_earn(shared_data: Path) -> None:
    lines = (shared_data / "jeebench_recorded_gpt35.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["type"] == "MCQ(multiple)" and row["extract"].isalpha()]
    rows = [row for row in rows if set(row["extract"]) <= set("ABCD")]
    assert len(rows) > 50
    expected = []
    for row in rows:
        said, gold = set(row["extract"]), set(row["gold"])
        expected.append(4 if said == gold else len(said) if said < gold else -2)
    found = marks([row["extract"] for row in rows], [row["gold"] for row in rows], [JEE_KINDS[r["type"]] for r in rows])
    assert found == expected
