"""Finding the final answer of completions that follow no format."""

from __future__ import annotations

import pytest

from exp.rewards.lenient import extract_leniently


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Put it in \\boxed{}. It is \\boxed{7}.", "7"),
        ("\\fbox{5}", "5"),
        ("First \\boxed{3}. Wait, I made a mistake. It is \\boxed{5}.", "5"),
        ("\\boxed{9} and \\boxed{10}", "9, 10"),
        ("2+40=42\n#### 42 And so on. " + "And so on. " * 50, "42"),
        ("So the profit is $70,000\n#### 70,000", "70,000"),
        ("The answer is 5 (not 6).", "5"),
        ("The answer is not 6 but 5.", "5"),
        ("The answer is 5. There were 6 at the start.", "5"),
        ("The answers are 9 and 10", "9 and 10"),
        ("The solutions are x = 1 and x = 2.", "x = 1 and x = 2"),
        ("答案是 5", "5"),
        ("Left: 905\n\nFinal Answer: **73**", "73"),
        ("## Final Answer\n\n73", "73"),
        ("**Answer:** 10 - 2√5", "10 - 2√5"),
        ("\\[Answer: 009\\]", "009\\]"),
        ("The total cost of the order is $29.00.", "29.00"),
        ("28 percent", "28 percent"),
        ("\\boxed{6}. Actually the answer is 5.", "5"),
        ("\\boxed{5}\n\nThe answer is 5 apples.", "5"),
        ("<think>\nI try \\boxed{5}\n</think>\nThe answer is \\boxed{6}.", "6"),
        ("<think>x</think><answer>42</answer>", "42"),
    ],
)
def test_the_final_answer_is_found(text: str, answer: str) -> None:
    assert extract_leniently(text, "math").answer == answer


@pytest.mark.parametrize(
    "text",
    [
        "The answer is \\boxed{3} or \\boxed{5}.",
        "Either \\boxed{3} or \\boxed{5}",
        "Answer: 1\nAnswer: 2\nAnswer: 3",
        "#### 18\n#### 20",
        "<answer>1</answer><answer>2</answer>",
        "\\boxed{5}. The answer is 6.",
    ],
)
def test_hedging_holds_no_answer(text: str) -> None:
    found = extract_leniently(text, "math")
    assert found.answer is None
    assert "several different finals" in found.problems[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "<think>\nmaybe \\boxed{5}, but let me check",
        "So the final answer is \\boxed{1",
        "<think>x</think><answer></answer>",
        "We first compute 3 + 4 = 7 and then we must " + "think " * 100,
    ],
)
def test_an_unfinished_or_empty_text_holds_no_answer(text: str) -> None:
    assert extract_leniently(text, "math").answer is None


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("I considered (A), but it is incorrect. Final answer: D.", "D"),
        ("The answer is C because I computed the integral.", "C"),
        ("The answer is B. Note that A is a common distractor.", "B"),
        ("Answer: It is not B, the answer is D", "D"),
        ("The calculated answer is 11.\n\nAnswer seems to be A.\n\nAnswer: A", "A"),
        ("Answer: **D**", "D"),
        ("I would choose option C.", "C"),
        ("Answer: $B$", "B"),
        ("**Final Answer**\n\n(B)", "B"),
        ("Answer (D)", "D"),
        ("D is correct", "D"),
        ("Answer: A\nAnswer: B", None),
        ("Option (D) is the correct answer. Option (A) describes something else.", "D"),
        ("Therefore, the value of $x$ is (C) 1.", "C"),
        ("The answer is $\\boxed{\\textbf{(A) }\\frac{36}{73}}$.", "A"),
        ("The answer is not B.", None),
        ("It is hard to say.", None),
    ],
)
def test_the_chosen_option_is_found(text: str, letters: str | None) -> None:
    assert extract_leniently(text, "choice").answer == letters


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Therefore, the correct options are (A), (B), and (D).", "ABD"),
        ("Final answer: (A), (B), and (C) are true, and (D) is false.", "ABC"),
        ("Hence, the correct answer is (A) FALSE, (B) TRUE, (C) TRUE, (D) FALSE.", "BC"),
        ("So, option (A) is correct.\n\nSo, option (B) is incorrect.\n\nSo, option (C) is correct.", "AC"),
        ("Answer: All of the statements are correct.", "ABCD"),
        ("Final Answer: None of the statements (A), (B), (C), and (D) are true.", None),
    ],
)
def test_several_chosen_options_are_found(text: str, letters: str | None) -> None:
    assert extract_leniently(text, "jee_multiple").answer == letters


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (
            "Final Answer: The value of $Y$ is $3.00 \\times 10^{-5} \\mathrm{~mol}$.",
            "3.00 \\times 10^{-5} \\mathrm{~mol}",
        ),
        ("Hence the value is $\\frac{28}{3}$.", "\\frac{28}{3}"),
        ("Therefore, $\\alpha$ is approximately 0.02, correct up to the 2nd decimal digit.", "0.02"),
        ("Final Answer: 12$\\beta$", None),
        ("Therefore, the value is undefined.", None),
        ("so that we get $x=\\frac{3", None),
    ],
)
def test_the_final_number_is_found(text: str, number: str | None) -> None:
    assert extract_leniently(text, "jee_numeric").answer == number
