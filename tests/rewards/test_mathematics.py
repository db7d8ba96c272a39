"""Kind `math`: which answers say what the gold says. One table of equal pairs, one of different ones, by topic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exp.rewards.verdict import Verdict
from exp.rewards.verify import gold_problem, verify

# gold, then answers that are right
RIGHT = {
    "numbers": [("1234", "1,234", "1{,}234", "1\\,234", "1 234", "1234.0", "+1234", "$1234$")],
    "minus signs": [("-5", "−5", "–5", "- 5")],
    "indian thousands": [("100000", "1,00,000", "100,000")],
    "fractions": [("\\frac{1}{2}", "1/2", "\\frac12", "\\dfrac{1}{2}", "0.5", ".5", "½", "\\frac{2}{4}", "50\\%")],
    "repeating": [("\\frac{1}{3}", "0.3333333333"), ("\\sqrt{2}", "1.4142135624")],
    "mixed numbers": [("2\\frac{1}{2}", "\\frac{5}{2}", "2.5", "2 1/2"), ("-1\\frac{3}{4}", "-1.75")],
    "scientific": [("3\\times 10^8", "3e8", "300000000", "3 \\cdot 10^{8}", "3×10⁸"), ("1e-5", "0.00001", "10^{-5}")],
    "surds": [("2\\sqrt{3}", "\\sqrt{12}", "2√3", "2\\sqrt3"), ("\\frac{1}{\\sqrt{2}}", "\\frac{\\sqrt{2}}{2}")],
    "logarithms": [("\\log_2 3", "\\frac{\\ln 3}{\\ln 2}"), ("\\ln 2", "\\log_e 2")],
    "constants": [("1-\\frac{1}{e}", "1 - e^{-1}", "1-\\frac{1}{\\mathrm{e}}"), ("2\\pi", "2π"), ("-1", "e^{i\\pi}")],
    "combinatorics": [("10", "\\binom{5}{2}"), ("120", "5!"), ("387420489", "9^9"), ("2^{100}", "4^{50}")],
    "expressions": [
        ("x^2+2x+1", "(x+1)^2", "1+2x+x^2"),
        ("x^3+2x", "x(x^2+2)"),
        ("\\sin^2 x", "1-\\cos^2 x"),
        ("\\frac{x+1}{x}", "1+\\frac{1}{x}"),
        ("p-q", "-q+p"),
        ("xy", "y x"),
    ],
    "equations": [
        ("5", "x=5", "5 = x", "a+b = 2+3 = 5"),
        ("x=5", "5"),
        ("3x-y+13=0", "y=3x+13", "6x-2y+26=0"),
        ("y=2x+1", "2x+1", "y-2x=1"),
        ("f(x)=x^2", "x^2"),
    ],
    "sets": [("\\{1,2,3\\}", "\\{3,2,1\\}", "1,2,3"), ("\\emptyset", "\\varnothing", "\\{\\}")],
    "lists": [("9, 10", "9 and 10", "10, 9"), ("n=2, 3, 4", "2,3,4"), ("12,34", "12, 34")],
    "roots": [("2, -3", "x = 2 \\text{ or } x = -3", "x=-3, x=2")],
    "plus minus": [("\\pm 3", "3, -3", "x = \\pm 3"), ("1 \\pm \\sqrt{2}", "1-\\sqrt2, 1+\\sqrt2")],
    "tuples": [("(3, \\frac{\\pi}{2})", "(3, \\pi/2)"), ("\\langle 1,2 \\rangle", "(1,2)")],
    "intervals": [
        ("(0, 12.5)", "0 < x < 12.5"),
        ("[0,1)", "0 \\le x < 1", "x \\in [0,1)"),
        ("(2,\\infty)", "x>2", "2 < x", "(2,+\\infty)"),
        ("(-\\infty,1)\\cup(2,\\infty)", "x<1 \\text{ or } x>2", "(2,\\infty)\\cup(-\\infty,1)"),
    ],
    "matrices": [
        ("\\begin{pmatrix} 1 & 0 \\\\ 0 & 1/2 \\end{pmatrix}", "\\begin{bmatrix} 1 & 0 \\\\ 0 & 0.5 \\end{bmatrix}"),
        ("\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}", "(1,2)"),
    ],
    "percent": [("28\\%", "28 \\%", "28 percent", "28", "0.28"), ("50", "50\\%")],
    "units": [
        ("10", "10 cm", "10\\text{ cm}", "10 apples"),
        ("10 \\text{ cm}^2", "10", "10 square centimeters", "0.001 m^2"),
        ("5\\text{ km}", "5000\\text{ m}"),
        ("2 hours", "120 minutes"),
        ("9.8", "9.8\\ \\mathrm{m/s^2}", "9.8 m s^{-2}"),
        ("60 km/h", "60 kilometers per hour"),
    ],
    "money": [("1234.5", "\\$1,234.50", "1234.5 dollars")],
    "angles": [("72^\\circ", "72", "72°", "72 degrees"), ("90^\\circ", "\\frac{\\pi}{2}")],
    "other bases": [("52_8", "52_{8}", "52_\\text{eight}")],
    "words": [("\\text{Evelyn}", "evelyn", "\\textbf{Evelyn}"), ("True", "true.")],
    "sentences": [("cannot be determined", "Cannot be determined")],
    "written around": [("5", "5.", " 5 ", "\\boxed{5}", "\\approx 5", "**5**", "about 5"), ("\\text{13}", "13")],
    "control characters": [("5", "5\x00", "\x0b5")],
    "infinity": [("\\infty", "+\\infty", "infinity")],
    "computer algebra": [("\\frac{1}{3}", "\\int_0^1 x^2 dx"), ("55", "\\sum_{k=1}^{10} k")],
    "too large to compute but the same": [("9^{9^{9^{9}}}", "9^{9^{9^{9}}}")],
}  # fmt: skip

# gold, then answers that are not right
WRONG = {
    "numbers": [("5", "-5", "6", "5.5", "5!", "5^2", "55"), ("12,34", "1234"), ("1234", "1.234"), ("12", "1 2")],
    "bare gold": [("10 - 2\\sqrt{5}", "2", "10", "10+2\\sqrt5"), ("2\\pi", "2"), ("3+4i", "3", "3-4i"), ("9, 10", "9")],
    "rounding": [("\\frac{1}{3}", "0.333", "0.33"), ("\\pi", "3.14", "\\frac{22}{7}"), ("0.5", "0.52"), ("14", "14.2")],
    "tiny": [("1.6\\times 10^{-19}", "9.1\\times 10^{-31}"), ("0.0000012", "0.0000013"), ("0", "e^{-40}")],
    "tiny fractions": [("\\frac{1}{2^{99}}", "\\frac{1}{2^{98}}"), ("\\frac{1}{2004!}", "\\frac{1}{2006!}")],
    "tiny products": [("\\frac{\\pi}{10^{400}}", "\\frac{\\pi}{10^{401}}")],
    "large": [("2^{100}", "2^{101}"), ("3", "10^{10^{10^{10}}}"), ("5", "100000!"), ("9^{9^{9^{9}}}", "9^{9^{9^{8}}}")],
    "mixed numbers": [("1", "2\\frac{1}{2}"), ("2\\frac{1}{2}", "1")],
    "percent": [("50", "0.5", "5000"), ("50\\%", "5", "500"), ("0.5", "0.5\\%")],
    "units": [
        ("10 \\text{ m}", "10 \\text{ cm}", "10 s"),
        ("10 \\text{ cm}^2", "10 \\text{ cm}", "10 \\text{ cm}^3"),
        ("60 km/h", "60 mph"),
        ("5 apples", "5 oranges"),
    ],
    "denials": [("5", "not 5", "5 is wrong", "5 is not the answer", "\\ne 5", "x < 5")],
    "hedging": [("5", "5 or 3", "3, 5", "5 but maybe 3")],
    "equations": [("x=5", "x=-5", "y=5"), ("y=2x+1", "y=2x+2", "x=2y+1"), ("3x-y+13=0", "3x+4y+14=0")],
    "unreadable equations": [("F_n = \\sum_{k=0}^{n-1} F_k F_{n-k-1}", "F_n = \\sum_{k=0}^{n-2} F_k F_{n-k-2}")],
    "copied instead of expanded": [("x^2-1", "(x-1)(x+1)"), ("(x-2)(x-3)", "x^2-5x+6")],
    "expressions": [("x", "\\sqrt{x^2}", "|x|"), ("a-b", "b-a"), ("x^2+2x+1", "x^2+2x+2")],
    "sets": [("\\{1,2,3\\}", "\\{1,2\\}", "\\{1,2,3,4\\}"), ("\\{1,2\\}", "(1,2)"), ("1, 1, 2", "1, 2, 2")],
    "tuples": [("(1,2)", "(2,1)", "(1,2,3)"), ("0,1", "01")],
    "intervals": [("[0,1)", "(0,1]", "[0,1]"), ("(2,\\infty)", "x \\ge 2", "x < 2"), ("\\infty", "-\\infty")],
    "matrices": [("\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}", "\\begin{pmatrix} 2 \\\\ 1 \\end{pmatrix}", "(2,1)")],
    "ratios and times": [("12:00", "1:00"), ("1:2", "2:1"), ("1:2:3:\\ldots", "1:4:9:\\ldots")],
    "other bases": [("52_8", "528", "52_9", "42")],
    "words": [("\\text{east}", "seat", "west"), ("no", "on"), ("True", "False"), ("cannot be determined", "no idea")],
    "bad gold": [("9. Anya climbs one floor; Vanya climbs five.", "3", "9")],
    "code": [("5", "(5 if True else 0)+0\\pi", "__import__('os').getpid()", "len([1,2,3,4,5])", "exec('5')")],
}  # fmt: skip


def pairs(table: dict[str, list[tuple[str, ...]]]) -> list[tuple[str, str]]:
    """Every (gold, answer) of a table."""
    return [(row[0], answer) for rows in table.values() for row in rows for answer in row[1:]]


@pytest.mark.parametrize(("gold", "answer"), pairs(RIGHT))
def test_an_equal_answer_is_right(gold: str, answer: str) -> None:
    assert verify(answer, gold, "math").verdict is Verdict.RIGHT


@pytest.mark.parametrize(("gold", "answer"), pairs(WRONG))
def test_a_different_answer_is_not_right(gold: str, answer: str) -> None:
    found = verify(answer, gold, "math")
    assert found.verdict in (Verdict.WRONG, Verdict.UNPARSEABLE, Verdict.TIMEOUT)
    assert found.score == 0


@pytest.mark.parametrize("gold", sorted({gold for gold, _ in pairs(RIGHT)}))
def test_a_readable_gold_has_no_problem(gold: str) -> None:
    assert gold_problem(gold, "math") is None


@pytest.mark.parametrize("gold", ["", " ", "9. Anya climbs one floor; Vanya climbs five.", "\\frac{1}{", "5" * 5000])
def test_an_unreadable_gold_is_reported(gold: str) -> None:
    assert gold_problem(gold, "math")


def test_words_where_mathematics_is_expected_are_unparseable() -> None:
    assert verify("no idea", "5", "math").verdict is Verdict.UNPARSEABLE


@given(st.integers(-(10**40), 10**40), st.integers(-(10**40), 10**40))
def test_integers_are_compared_exactly(one: int, other: int) -> None:
    assert (verify(str(one), str(other), "math").verdict is Verdict.RIGHT) == (one == other)


@given(st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**6))
def test_fractions_are_compared_exactly(one: object, other: object) -> None:
    found = verify(f"{one}", f"\\frac{{{other.numerator}}}{{{other.denominator}}}", "math")  # type: ignore[attr-defined]
    assert (found.verdict is Verdict.RIGHT) == (one == other)
