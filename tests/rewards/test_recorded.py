"""Real cases: hard cases collected from public issues, JEEBench's recorded answers, golds of public data sets."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from exp.rewards.choice import JEE_KINDS, read_letters
from exp.rewards.command import read_rows
from exp.rewards.lenient import extract_leniently
from exp.rewards.number import read_number
from exp.rewards.verdict import Verdict
from exp.rewards.verify import FAILED, gold_problem, verify

PUBLISHED = {"gpt3": 0.1218, "gpt35": 0.1772}


def read_jsonl(file: Path) -> list[dict[str, str]]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def is_right(completion: str, gold: str, kind: str) -> bool:
    """Whether the leniently extracted answer verifies."""
    answer = extract_leniently(completion, kind).answer
    return answer is not None and verify(answer, gold, kind).verdict is Verdict.RIGHT


def test_hard_cases_agree_with_their_labels_and_none_is_paid_wrongly(shared_data: Path) -> None:
    rows = list(read_rows(shared_data / "verifier_cases.jsonl"))
    assert len(rows) > 100
    verdicts = [(row, is_right(row.completion, row.gold, row.kind)) for row in rows]
    assert [row.id for row, right in verdicts if right and not row.expected] == []
    assert sum(right == row.expected for row, right in verdicts) >= 0.97 * len(rows)


@pytest.mark.parametrize("model", PUBLISHED)
def test_jeebench_extracts_score_exactly_what_was_published(model: str, shared_data: Path) -> None:
    rows = read_jsonl(shared_data / f"jeebench_recorded_{model}.jsonl")
    total = sum(verify(row["extract"], row["gold"], JEE_KINDS[row["type"]]).score for row in rows)
    assert round(total / len(rows), 4) == PUBLISHED[model]


@pytest.mark.parametrize("model", PUBLISHED)
def test_our_extraction_from_raw_responses_agrees_with_the_authors(model: str, shared_data: Path) -> None:
    rows = read_jsonl(shared_data / f"jeebench_recorded_{model}.jsonl")
    total, agreed = 0.0, 0
    for row in rows:
        kind = JEE_KINDS[row["type"]]
        answer = extract_leniently(row["response"], kind).answer
        total += verify(answer, row["gold"], kind).score if answer else 0.0
        agreed += _says_the_same(answer, row["extract"], kind)
    assert abs(total / len(rows) - PUBLISHED[model]) < 0.015
    assert agreed >= 0.95 * len(rows)


def _says_the_same(answer: str | None, extract: str, kind: str) -> bool:
    if kind in ("jee_mcq", "jee_multiple"):
        return (read_letters(answer) if answer else None) == read_letters(extract)
    ours = read_number(answer) if answer else None
    theirs = read_number(extract)
    if ours is None or theirs is None:
        return ours is theirs
    return abs(ours - theirs) <= abs(theirs) / 100 + 0.006  # they rounded to two places


def test_golds_of_public_data_sets_verify_against_themselves(shared_data: Path) -> None:
    math500 = [row["answer"] for row in read_jsonl(shared_data / "math500.jsonl")]
    gsm8k = [row["answer"].rsplit("#### ")[-1] for row in read_jsonl(shared_data / "gsm8k_test.jsonl")]
    jeebench = json.loads((shared_data / "jeebench.json").read_text(encoding="utf-8"))
    assert [gold for gold in math500 if gold_problem(gold, "math")] == []
    assert [gold for gold in gsm8k if gold_problem(gold, "integer")] == []
    assert [row for row in jeebench if gold_problem(row["gold"], JEE_KINDS[row["type"]])] == []


def test_solutions_of_math500_hold_their_answers(shared_data: Path) -> None:
    rows = read_jsonl(shared_data / "math500.jsonl")
    right = sum(is_right(row["solution"], row["answer"], "math") for row in rows)
    assert right >= 0.99 * len(rows)


def test_different_golds_are_different(shared_data: Path) -> None:
    golds = sorted({row["answer"] for row in read_jsonl(shared_data / "math500.jsonl")})
    drawn = random.Random(0).sample([(a, b) for a in golds for b in golds if a < b], 5_000)
    equal = {(a, b) for a, b in drawn if verify(a, b, "math").verdict is Verdict.RIGHT}
    assert len(equal) <= 5  # such as 36 and 36 degrees


@pytest.mark.slow
def test_ten_thousand_mutated_completions_end_in_time(shared_data: Path) -> None:
    rng = random.Random(0)
    rows = read_jsonl(shared_data / "jeebench_recorded_gpt35.jsonl")
    cases = list(read_rows(shared_data / "verifier_cases.jsonl"))
    kinds = ["math", "number", "choice", "jee_multiple", "integer"]
    for _ in range(10_000):
        text = rng.choice(cases).completion if rng.random() < 0.8 else rng.choice(rows)["response"]
        text = _mutated(text[-3_000:], rng)
        kind = rng.choice(kinds)
        start = time.perf_counter()
        is_right(text, rng.choice(cases).gold, kind)
        assert not verify(text[:200], rng.choice(cases).gold, kind).reason.startswith(FAILED), text
        assert time.perf_counter() - start < 4.0, text


def _mutated(text: str, rng: random.Random) -> str:
    """`text` with a few pieces cut, doubled, repeated, or overwritten by random bytes."""
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(text) + 1)
        piece = text[at : at + rng.randrange(1, 40)]
        noise = rng.randbytes(6).decode("latin-1")
        text = (
            text[:at]
            + rng.choice(["", piece * 2, piece * 50, noise, "\\boxed{", "^{9", "!", "}"])
            + text[at + len(piece) :]
        )
    return text
