"""Which rows of a run's files a report embeds."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from exp.views.report_rows import LONGEST_TEXT, Budget, read_rows, select, shorten, spread

from .made_run import write_rows


def row(step: int, name: str, completion: str = "x" * 100) -> dict:
    return {
        "step": step,
        "id": name,
        "question": "?",
        "gold": "1",
        "completion": completion,
        "extracted": None,
        "verdict": "wrong",
        "well_formed": False,
        "reason": "",
        "ended": True,
    }


def by_prompt(found: dict) -> tuple[int, str]:
    return found["step"], found["id"]


def test_everything_is_kept_while_it_fits(tmp_path: Path):
    file = tmp_path / "grpo.jsonl"
    write_rows(file, [row(step, "a") for step in range(5)])
    selection = select([file], by_prompt, Budget(rows=5, characters=500), [])
    assert (selection.shown[file], selection.totals[file]) == (5, 5)


def test_rollouts_of_one_prompt_stay_together_and_spread_over_the_steps(tmp_path: Path):
    file = tmp_path / "grpo.jsonl"
    write_rows(file, [row(step, name) for step in range(100) for name in "ab" for _ in range(4)])
    selection = select([file], by_prompt, Budget(rows=40, characters=10**6), [])
    groups = [by_prompt(found) for _, found in selection.rows]
    assert (selection.shown[file], selection.totals[file]) == (40, 800)
    assert all(groups.count(group) == 4 for group in groups)
    assert (groups[0], groups[-1]) == ((0, "a"), (99, "b"))


def test_long_completions_count_for_what_is_shown_of_them(tmp_path: Path):
    file = tmp_path / "grpo.jsonl"
    write_rows(file, [row(step, "a", "y" * 10 * LONGEST_TEXT) for step in range(10)])
    selection = select([file], by_prompt, Budget(rows=1000, characters=5 * LONGEST_TEXT), [])
    assert selection.shown[file] == 5
    assert all(len(found["completion"]) < LONGEST_TEXT + 100 for _, found in selection.rows)


def test_models_are_shown_with_the_same_questions(tmp_path: Path):
    files = [tmp_path / "sft.jsonl", tmp_path / "grpo.jsonl"]
    for file in files:
        write_rows(file, [row(0, f"q{number}") for number in range(50)])
    selection = select(files, lambda found: found["id"], Budget(rows=20, characters=10**6), [])
    first, second = ({found["id"] for at, found in selection.rows if at == file} for file in files)
    assert first == second
    assert len(first) == 10


def test_at_least_one_group_is_shown(tmp_path: Path):
    file = tmp_path / "grpo.jsonl"
    write_rows(file, [row(0, "a") for _ in range(64)])
    assert select([file], by_prompt, Budget(rows=1, characters=1), []).shown[file] == 64


def test_a_broken_line_is_named_and_an_unfinished_last_one_is_not(tmp_path: Path):
    file = tmp_path / "metrics.jsonl"
    file.write_bytes(b'{"step": 1}\n{"step": \n[3]\n\xff\n{"step": 5}\n{"st')
    unreadable: list[str] = []
    assert list(read_rows(file, unreadable)) == [{"step": 1}, {"step": 5}]
    assert unreadable == ["metrics.jsonl, line 2", "metrics.jsonl, line 3", "metrics.jsonl, line 4"]


@given(st.text(min_size=1), st.integers(1, LONGEST_TEXT))
def test_a_shortened_text_keeps_its_beginning_and_its_end_and_says_what_is_missing(part: str, excess: int):
    text = (part * (2 * LONGEST_TEXT))[: LONGEST_TEXT + excess]
    short = shorten(text)
    assert short[:4000] == text[:4000]
    assert short[-8000:] == text[-8000:]
    assert f"[… {excess:,} characters are left out here …]" in short


@given(st.integers(1, 500), st.integers(1, 500))
def test_spread_items_are_distinct_in_order_and_as_many_as_asked(there: int, wanted: int):
    found = spread(list(range(there)), wanted)
    assert len(found) == min(there, wanted)
    assert found == sorted(set(found))
    if wanted > 1:
        assert (found[0], found[-1]) == (0, there - 1)
