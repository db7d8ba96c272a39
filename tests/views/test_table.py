"""The end-of-run table on a terminal and in a pipe."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from exp.views.table import print_result

MODEL = {
    "dataset": "addition",
    "n": 500,
    "accuracy": 0.978,
    "ci95": [0.961, 0.988],
    "format_rate": 1.0,
    "truncated_rate": 0.06,
    "mean_tokens": 32.6,
    "seconds": 75.2,
    "outcomes": {"right": 489, "wrong": 11},
    "sampled": None,
}


def printed(result: dict, terminal: bool) -> str:
    written = io.StringIO()
    print_result(result, Console(file=written, force_terminal=terminal, width=100, color_system=None))
    return written.getvalue()


def test_a_terminal_shows_each_model_in_a_row_with_its_interval():
    row = next(line for line in printed({"eval": {"grpo": MODEL}}, terminal=True).splitlines() if "GRPO" in line)
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells == ["GRPO", "97.8 % [96.1, 98.8]", "–", "100.0 %", "6.0 %", "33", "1 min 15 s"]


def test_a_terminal_also_says_the_outcome_and_what_to_beware_of():
    text = " ".join(printed({"eval": {"grpo": MODEL}}, terminal=True).split())
    assert "GRPO 97.8 % [96.1, 98.8] on 500 questions." in text
    assert "6.0 % of GRPO's completions were cut off at the length limit" in text


def test_a_pipe_gets_tab_separated_full_precision_and_nothing_else():
    sampled = MODEL | {"sampled": {"samples": 4, "accuracy": 0.71, "ci95": [0.69, 0.73]}}
    lines = printed({"eval": {"sft": MODEL, "grpo": sampled}}, terminal=False).splitlines()
    assert [line.split("\t") for line in lines] == [
        [
            "model",
            "accuracy",
            "ci95_low",
            "ci95_high",
            "sampled",
            "format_rate",
            "truncated_rate",
            "mean_tokens",
            "seconds",
        ],
        ["sft", "0.978", "0.961", "0.988", "", "1.0", "0.06", "32.6", "75.2"],
        ["grpo", "0.978", "0.961", "0.988", "0.71", "1.0", "0.06", "32.6", "75.2"],
    ]


def test_a_run_without_evaluation_says_so():
    assert printed({"stages": {}}, terminal=True).strip() == "Nothing was evaluated in this run."


@pytest.mark.parametrize("width", [60, 100])
def test_the_table_of_a_whole_run_keeps_all_models_at_any_width(finished_run: Path, width: int):
    written = io.StringIO()
    result = json.loads((finished_run / "result.json").read_text())
    print_result(result, Console(file=written, force_terminal=True, width=width, color_system=None))
    assert [name for name in ("Base", "SFT", "GRPO") if f"│ {name} " in written.getvalue()] == ["Base", "SFT", "GRPO"]
