"""When two questions are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exp.data.questions import Duplicates, choose, masked_digest, normalise, question_digest

LONG = (
    "Natalia sold clips to 48 of her friends in April, and then she sold half as many clips in May. "
    "Her brother helped her to count them all on a rainy Sunday, while their mother was baking a large apple pie. "
    "How many clips did Natalia sell altogether in April and May?"
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How many?", "how  many"),
        ("Tom has 3.5 apples.", "tom has 3.5 apples"),
        ("ﬁve", "five"),
        ("a\n b", "a b"),
    ],
)
def test_case_blanks_and_punctuation_make_no_difference(one: str, other: str) -> None:
    assert question_digest(one) == question_digest(other)


@pytest.mark.parametrize(
    ("one", "other"), [("3+4", "3-4"), ("3.5", "35"), ("5!", "5"), ("1,024", "1024"), ("x<y", "x>y")]
)
def test_signs_and_numbers_make_a_difference(one: str, other: str) -> None:
    assert question_digest(one) != question_digest(other)


@given(text=st.text())
def test_normalising_twice_changes_nothing_that_blanks_and_case_could(text: str) -> None:
    assert normalise(f"  {text}\n") == normalise(text)


def test_questions_that_differ_in_numbers_alone_are_equal_when_masked() -> None:
    assert masked_digest("Add 3 and 1,024.5") == masked_digest("add 70 and 6")
    assert masked_digest("Add 3 and 4") != masked_digest("Take 3 from 4")


def test_a_copy_is_a_duplicate_and_a_first_question_is_not() -> None:
    seen = Duplicates(near=0.9)
    assert seen.reason("How many?", "4") is None
    seen.keep("How many?", "4")
    assert seen.reason("how many", "5") == "duplicate question"


def test_as_many_copies_pass_as_are_allowed() -> None:
    seen = Duplicates(near=0.9, copies=2)
    for _ in range(2):
        assert seen.reason("How many?", "4") is None
        seen.keep("How many?", "4")
    assert seen.reason("How many?", "4") == "duplicate question"


def test_a_question_with_a_word_changed_is_a_near_duplicate_if_its_answer_is_the_same() -> None:
    seen = Duplicates(near=0.8)
    seen.keep(LONG, "72")
    changed = LONG.replace("rainy", "sunny")
    assert seen.reason(changed, "72") == "near-duplicate question"
    assert seen.reason(changed, "73") is None
    assert Duplicates(near=None).reason(changed, "72") is None


def test_short_questions_that_share_their_form_are_no_near_duplicates() -> None:
    seen = Duplicates(near=0.9)
    seen.keep("What is 12 plus 30?", "42")
    assert seen.reason("What is 10 plus 32?", "42") is None


def test_nearly_all_pairs_above_the_threshold_are_found() -> None:
    words = [f"word{i}" for i in range(2000)]
    found = 0
    for start in range(100):
        text = words[start * 10 : start * 10 + 200]
        seen = Duplicates(near=0.9)
        seen.keep(" ".join(text), "1")
        found += seen.reason(" ".join([*text[:100], "other", *text[101:]]), "1") is not None
    assert found > 90  # three of 198 shingles differ on each side: similarity 0.97, estimated from 64 hashes


@given(questions=st.lists(st.text(max_size=5)), n=st.integers(1, 20), seed=st.integers(0, 5))
def test_the_choice_depends_on_the_questions_and_not_on_their_order(questions: list[str], n: int, seed: int) -> None:
    chosen = choose(questions, n, seed)
    assert chosen == choose(reversed(questions), n, seed)
    assert len(chosen) == min(n, len({question_digest(q) for q in questions}))
    assert choose(questions, n + 5, seed)[:n] == chosen


def test_another_seed_chooses_other_questions() -> None:
    questions = [f"question {i}" for i in range(200)]
    assert choose(questions, 20, 0) != choose(questions, 20, 1)
