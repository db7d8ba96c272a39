"""The embedded data set of additions: the split, the weak teacher, and the shape of an example."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exp.data.addition import demonstrate, eval_examples, rl_examples, sft_examples, split_pairs
from exp.errors import Refused

NUMBERS = st.integers(0, 99)
FIRST_HELD_OUT = ["13+54=?", "26+16=?", "86+57=?"]  # written down: another Python must hold out the same


def total(question: str) -> int:
    """What `47+35=?` comes to."""
    x, y = question.removesuffix("=?").split("+")
    return int(x) + int(y)


def test_the_split_covers_every_pair_once():
    train, held_out = split_pairs()
    assert (len(train), len(held_out)) == (9500, 500)
    assert set(train) | set(held_out) == {(x, y) for x in range(100) for y in range(100)}


def test_the_split_never_changes():
    assert split_pairs() == split_pairs()
    assert [e["question"] for e in eval_examples(3)] == FIRST_HELD_OUT


def test_no_training_question_is_held_out():
    held_out = {e["question"] for e in eval_examples()}
    for seed in range(3):
        trained = {e["question"] for e in (*sft_examples(seed, 9500), *rl_examples(seed, 9500))}
        assert trained
        assert not trained & held_out


def test_the_same_seed_gives_the_same_examples_and_another_seed_others():
    for examples in (sft_examples, rl_examples):
        assert examples(1, 50) == examples(1, 50)
        assert examples(1, 50) != examples(2, 50)
        assert examples(1, 20) == examples(1, 50)[:20]


def test_demonstrations_and_questions_of_one_seed_come_in_different_order():
    assert [e["id"] for e in sft_examples(0, 50)] != [e["id"] for e in rl_examples(0, 50)]


def test_ids_are_unique_within_a_split():
    for examples in (sft_examples(0, 9500), rl_examples(0, 9500), eval_examples()):
        assert len({e["id"] for e in examples}) == len(examples)


def test_questions_for_reinforcement_and_evaluation_carry_the_true_answer_and_no_reasoning():
    for example in (*rl_examples(0, 200), *eval_examples()):
        assert example["reasoning"] is None
        assert example["answer"] == str(total(example["question"]))


def test_a_demonstration_works_out_the_columns_and_writes_the_sum_lowest_digit_first():
    assert demonstrate((47, 35), forget_carry=False) == {
        "id": "addition-47+35",
        "question": "47+35=?",
        "reasoning": "7+5,4+3:280",
        "answer": "82",
    }


def test_a_teacher_who_forgets_the_carry_is_wrong_in_reasoning_and_answer_alike():
    example = demonstrate((47, 35), forget_carry=True)
    assert (example["reasoning"], example["answer"]) == ("7+5,4+3:270", "72")


def test_small_numbers_keep_two_digits_in_the_question_and_none_to_spare_in_the_answer():
    example = demonstrate((3, 4), forget_carry=False)
    assert (example["question"], example["reasoning"], example["answer"]) == ("03+04=?", "3+4,0+0:700", "7")


@given(NUMBERS, NUMBERS, st.booleans())
def test_the_answer_always_follows_from_the_reasoning(x: int, y: int, forget_carry: bool):
    example = demonstrate((x, y), forget_carry)
    lowest_first = example["reasoning"].split(":")[1]
    assert int(lowest_first[::-1]) == int(example["answer"])


@given(NUMBERS, NUMBERS)
def test_forgetting_the_carry_matters_exactly_where_a_column_overflows(x: int, y: int):
    overflows = x % 10 + y % 10 > 9 or x // 10 + y // 10 > 9
    assert (demonstrate((x, y), True)["answer"] != str(x + y)) == overflows


def test_noise_is_the_share_of_careless_demonstrations():
    def share_right(noise: float) -> float:
        examples = sft_examples(0, 4000, noise)
        return sum(e["answer"] == str(total(e["question"])) for e in examples) / len(examples)

    never_overflowing = 0.55 * 0.55
    assert share_right(0.0) == 1.0
    assert share_right(1.0) == pytest.approx(never_overflowing, abs=0.03)
    assert share_right(0.5) == pytest.approx((1 + never_overflowing) / 2, abs=0.03)


def test_more_examples_than_there_are_pairs_are_refused():
    for examples in (lambda: sft_examples(0, 9501), lambda: rl_examples(0, 9501)):
        with pytest.raises(Refused, match="9500 training pairs"):
            examples()
    with pytest.raises(Refused, match="500 held-out pairs"):
        eval_examples(501)
