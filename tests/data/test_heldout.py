"""What evaluation asks never reaches training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exp.config.dataset import Source
from exp.data.storage import read_rows
from exp.errors import Refused

ROWS = [{"question": f"What is {i} plus {i}?", "reasoning": f"twice {i}", "answer": str(2 * i)} for i in range(40)]


def asked(folder: Path, use: str) -> set[str]:
    return {row["question"] for row in read_rows(folder, use)}


def test_one_file_for_all_uses_is_divided(own: Any, prepared: Any, write_jsonl: Any, tmp_path: Path) -> None:
    prepared(own(write_jsonl(ROWS), holdout=10), "sft", "rl", "eval")
    held, practised, imitated = (asked(tmp_path / "out", use) for use in ("eval", "rl", "sft"))
    assert len(held) == 10
    assert practised == imitated
    assert held | practised == {row["question"] for row in ROWS}
    assert not held & practised


def test_the_division_depends_neither_on_the_seed_nor_on_the_stages_that_run(
    own: Any, prepared: Any, write_jsonl: Any, tmp_path: Path
) -> None:
    dataset = own(write_jsonl(ROWS), holdout=10)
    held = []
    for uses, seed in ((("sft", "rl", "eval"), 0), (("eval",), 0), (("rl",), 5)):
        prepared(dataset, *uses, seed=seed)
        held.append(asked(tmp_path / "out", "eval"))
    assert held[0] == held[1] == held[2]
    assert not held[0] & asked(tmp_path / "out", "rl")


def test_copies_of_a_held_out_question_are_held_out_too(
    own: Any, prepared: Any, write_jsonl: Any, tmp_path: Path
) -> None:
    copies = [row | {"question": row["question"].upper()} for row in ROWS]
    prepared(own(write_jsonl(ROWS + copies), holdout=10, near_duplicate=None), "rl", "eval")
    held, practised = ({q.lower() for q in asked(tmp_path / "out", use)} for use in ("eval", "rl"))
    assert not held & practised


def test_a_hold_out_of_more_than_half_is_refused_with_a_smaller_one(
    own: Any, prepared: Any, write_jsonl: Callable[..., Path]
) -> None:
    with pytest.raises(Refused, match="same 40 questions, too few to hold out 21") as refusal:
        prepared(own(write_jsonl(ROWS), holdout=21), "rl")
    assert refusal.value.problems[0].fix == "dataset.holdout=10"


def test_evaluation_with_its_own_file_keeps_all_of_it(
    own: Any, prepared: Any, write_jsonl: Any, tmp_path: Path
) -> None:
    write_jsonl(ROWS[:30], "train.jsonl")
    write_jsonl(ROWS[30:], "test.jsonl")
    dataset = own(tmp_path / "given", eval=Source(name="rows", split="test"))
    report = prepared(dataset, "rl")
    assert (report["uses"]["eval"]["kept"], report["uses"]["rl"]["kept"]) == (10, 30)
    assert report["uses"]["rl"]["set_aside"] == 0


def test_questions_that_another_file_shares_with_evaluation_are_reported_and_dropped(
    own: Any, prepared: Any, write_jsonl: Any, tmp_path: Path
) -> None:
    shared = [row | {"question": f"  {row['question'].lower()} "} for row in ROWS[:4]]
    write_jsonl(ROWS[10:] + shared, "train.jsonl")
    write_jsonl(ROWS[:10], "test.jsonl")
    dataset = own(tmp_path / "given", eval=Source(name="rows", split="test"))
    rl = prepared(dataset, "rl")["uses"]["rl"]
    assert rl["overlap_with_eval"] == {"exact": 4, "numbers_masked": 34}
    assert rl["dropped"]["question is evaluated"]["count"] == 4
    assert rl["kept"] == 30


def test_the_real_jeebench_is_divided_between_practice_and_evaluation(
    shared_data: Path, prepared: Any, tmp_path: Path
) -> None:
    from exp.config.dataset import Dataset

    jeebench = Source(name="jeebench", split="test")
    dataset = Dataset(name="jeebench", path=str(shared_data), rl=jeebench, eval=jeebench, holdout=200)
    uses = prepared(dataset, "rl")["uses"]
    assert uses["eval"]["kept"] == 200
    assert uses["rl"]["kept"] + uses["eval"]["kept"] >= 505  # a few questions are duplicates or cannot be verified
    assert not asked(tmp_path / "out", "eval") & asked(tmp_path / "out", "rl")
