"""Kinds `exact`, `integer` and `number`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exp.rewards.number import read_number
from exp.rewards.verdict import Verdict
from exp.rewards.verify import gold_problem, verify


@pytest.mark.parametrize(
    ("answer", "gold", "right"),
    [
        ("14.0", "14", True),
        ("1,234", "1234", True),
        ("70,000 dollars", "70000", True),
        ("\\boxed{5}", "5", True),
        ("x = 5", "5", True),
        ("2.003", "2", False),
        ("x < 5", "5", False),
        ("5, 6", "5", False),
        ("five", "5", True),
        ("10 cm", "10 m", False),
        ("10 apples", "10 oranges", False),
        ("10 apples", "10 apples", True),
    ],
)
def test_an_integer_must_be_exact(answer: str, gold: str, right: bool) -> None:
    assert (verify(answer, gold, "integer").verdict is Verdict.RIGHT) == right


@pytest.mark.parametrize(
    ("answer", "gold", "right"),
    [
        ("3.145", "3.14", True),
        ("23.04", "23.03", True),
        ("23.05", "23.03", False),
        ("\\frac{1}{3}", "0.33", True),
        ("0.0000013", "0.0000012", False),
        ("9.1e-31", "1.6e-19", False),
        ("0", "0.005", False),
        ("980 cm/s^2", "9.8 m/s^2", True),
        ("9.805 m/s^2", "9.8", True),
        ("9.8 m", "9.8 s", False),
        ("-3.14", "3.14", False),
        ("3.14%", "314", False),
        ("10^{400}", "5", False),
    ],
)
def test_a_number_may_differ_a_little(answer: str, gold: str, right: bool) -> None:
    assert (verify(answer, gold, "number").verdict is Verdict.RIGHT) == right


def test_no_number_is_unparseable() -> None:
    assert verify("nothing", "5", "number").verdict is Verdict.UNPARSEABLE
    assert verify("y", "5", "number").verdict is Verdict.UNPARSEABLE


def test_a_gold_that_is_no_number_is_reported() -> None:
    assert gold_problem("many", "number")
    assert gold_problem("145.0", "number") is None


@pytest.mark.parametrize(
    ("answer", "right"), [("yes", True), (" YES. ", True), ("\\text{Yes}", True), ("yes!no", False)]
)
def test_exact_ignores_case_and_punctuation_at_the_ends(answer: str, right: bool) -> None:
    assert (verify(answer, "Yes", "exact").verdict is Verdict.RIGHT) == right


@pytest.mark.parametrize(("answer", "gold"), [("2", "\\sqrt{2}"), ("?", "."), ("12", "1 2")])
def test_exact_compares_every_sign_that_means_something(answer: str, gold: str) -> None:
    assert verify(answer, gold, "exact").verdict is Verdict.WRONG


def test_numbers_are_read_whatever_their_dress() -> None:
    assert read_number("$2.50 \\times 10^{3}$ N") == 2500
    assert read_number("6:1") == 6
    assert read_number("\\frac{2}{3} \\mathrm{~m}") == Fraction(2, 3)
    assert read_number("2x") is None
