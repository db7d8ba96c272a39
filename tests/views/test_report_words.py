"""Results in plain words."""

from __future__ import annotations

import pytest

from exp.views.report_words import cautions, duration, headline, interval, p_value, percent, points

MODEL = {"n": 500, "accuracy": 0.978, "ci95": [0.961, 0.988], "format_rate": 1.0, "truncated_rate": 0.0}
WEAKER = MODEL | {"accuracy": 0.552, "ci95": [0.508, 0.595]}
GAIN = {"difference": 0.426, "ci95": [0.382, 0.469], "wins": 213, "losses": 0, "p": 1e-40}


def test_the_headline_compares_grpo_with_the_sft_model_it_came_from():
    result = {
        "eval": {"base": WEAKER, "sft": WEAKER, "grpo": MODEL},
        "comparisons": {"sft_vs_base": GAIN, "grpo_vs_sft": GAIN},
    }
    assert headline(result) == (
        "GRPO 97.8 % [96.1, 98.8] against SFT 55.2 %: +42.6 points [38.2, 46.9], 213 questions won, 0 lost, p < 0.001."
    )


def test_the_headline_compares_sft_with_the_base_where_grpo_was_not_run():
    result = {"eval": {"base": WEAKER, "sft": MODEL}, "comparisons": {"sft_vs_base": GAIN, "grpo_vs_sft": None}}
    assert headline(result).startswith("SFT 97.8 % [96.1, 98.8] against Base 55.2 %: +42.6 points")


def test_the_headline_of_a_single_model_states_its_accuracy():
    assert headline({"eval": {"base": MODEL}}) == "Base 97.8 % [96.1, 98.8] on 500 questions."


def test_a_healthy_result_needs_no_caution():
    result = {
        "stages": {"sft": {"id": "a", "seconds": 1, "status": "done"}},
        "eval": {"sft": WEAKER, "grpo": MODEL},
        "comparisons": {"grpo_vs_sft": GAIN},
    }
    assert cautions(result) == []


def test_a_difference_that_may_be_chance_is_called_so():
    noise = GAIN | {"difference": 0.004, "p": 0.81}
    said = cautions({"eval": {"sft": MODEL, "grpo": MODEL}, "comparisons": {"grpo_vs_sft": noise}})
    assert said == ["GRPO and SFT cannot be told apart: 500 questions, p = 0.810."]


def test_cut_off_answers_a_broken_format_and_failed_stages_are_called_out():
    poor = MODEL | {"truncated_rate": 0.31, "format_rate": 0.6}
    said = cautions(
        {"stages": {"grpo": {"id": "b", "seconds": 1, "status": "failed"}}, "eval": {"base": poor, "sft": poor}}
    )
    assert said[0] == "Stage grpo is not done: failed."
    assert [line.split(" of ")[0] for line in said[1:]] == ["31.0 %", "31.0 %", "Only 60.0 %"]
    assert not any(line.startswith("Only") and "Base" in line for line in said)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(4.21, "4.2 s"), (48.4, "48 s"), (59.7, "1 min 00 s"), (65, "1 min 05 s"), (7500, "2 h 05 min")],
)
def test_durations_are_said_in_units_that_fit(seconds, words):
    assert duration(seconds) == words


def test_shares_are_said_in_percent():
    assert (percent(0.978), interval([0, 0.008]), points(-0.0135), p_value(0.0312)) == (
        "97.8 %", "[0.0, 0.8]", "−1.4 points", "p = 0.031",
    )  # fmt: skip
