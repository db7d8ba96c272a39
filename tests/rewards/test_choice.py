"""Multiple choice and JEEBench's scoring rule."""

from __future__ import annotations

import pytest

from exp.rewards.choice import read_letters
from exp.rewards.verdict import Verdict
from exp.rewards.verify import verify


@pytest.mark.parametrize(
    ("answer", "letters"),
    [
        ("B", "B"),
        ("b", "B"),
        ("(B)", "B"),
        ("B.", "B"),
        ("\\text{B}", "B"),
        ("\\textbf{(C)}\\ 12", "C"),
        ("E: A polygenic risk score", "E"),
        ("(B) Not enough information", "B"),
        ("Option C", "C"),
        ("AC", "AC"),
        ("CA", "AC"),
        ("A, C", "AC"),
        ("a and c", "AC"),
        ("(A) and (C)", "AC"),
        ("\\{A, C\\}", "AC"),
        ("A \\text{ and } C", "AC"),
        ("\\textbf{(A,C)}", "AC"),
        ("(A) 5 or (B) 6", "AB"),
        ("A. foo\nB. bar", "AB"),
        ("(D) (I) \\rightarrow (Q); (II) \\rightarrow (R)", "D"),
    ],
)
def test_letters_are_read(answer: str, letters: str) -> None:
    assert read_letters(answer) == frozenset(letters)


@pytest.mark.parametrize("answer", ["", "not B", "B is wrong", "B: incorrect", "Answer", "None", "12", "I think so"])
def test_what_names_no_option_is_not_read(answer: str) -> None:
    assert read_letters(answer) is None


@pytest.mark.parametrize("answer", ["ABCD", "A, B, C, D", "a, b", "A or B", "(A) 5 or (B) 6", "A: 5 B: 6"])
def test_naming_several_options_never_wins_a_single_choice(answer: str) -> None:
    for gold in "ABCD":
        assert verify(answer, gold, "choice").verdict is Verdict.WRONG


def test_several_letters_must_all_be_named_and_no_other() -> None:
    assert verify("C, A", "AC", "choices").verdict is Verdict.RIGHT
    assert verify("A", "AC", "choices").score == 0
    assert verify("ABC", "AC", "choices").score == 0


@pytest.mark.parametrize(
    ("answer", "score"), [("ABD", 1.0), ("AB", 0.5), ("A", 0.25), ("AC", 0.0), ("ABCD", 0.0), ("?", 0.0)]
)
def test_jeebench_gives_a_quarter_for_each_letter_of_an_incomplete_choice(answer: str, score: float) -> None:
    assert verify(answer, "ABD", "jee_multiple").score == score


@pytest.mark.parametrize(
    ("answer", "gold", "score"),
    [
        ("2.003", "2", 1.0),
        ("23.04", "23.03", 1.0),
        ("0.19", "0.18", 0.0),
        ("0", "0.005", 1.0),
        ("x", "2", 0.0),
        ("9" * 400, "2", 0.0),
    ],
)
def test_jeebench_numbers_may_differ_by_a_hundredth(answer: str, gold: str, score: float) -> None:
    assert verify(answer, gold, "jee_numeric").score == score
