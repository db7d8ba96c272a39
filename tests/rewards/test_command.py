"""`python -m exp verify`: rows in, verdicts and a summary out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exp.rewards.command import main
from exp.rewards.literal import read_literal


def cases(folder: Path, *rows: dict[str, Any] | str) -> Path:
    """A file of these rows."""
    file = folder / "cases.jsonl"
    file.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows) + "\n", encoding="utf-8")
    return file


def test_json_gives_a_line_for_each_row_and_a_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = cases(
        tmp_path,
        {"id": "a", "gold": "5", "completion": "\\boxed{5}", "expected": True, "kind": "fractions"},
        {"id": "b", "gold": "5", "completion": "\\boxed{6}", "expected": True, "kind": "integer"},
        {"id": "c", "gold": "5", "completion": "\\boxed{5}", "expected": False, "kind": "integer"},
        {"gold": "7", "completion_expr": "'word ' * 1000 + 'The answer is 7.'"},
    )
    assert main([str(file), "--json"]) == 1
    *lines, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert [line["verdict"] for line in lines] == ["right", "wrong", "right", "right"]
    assert [line["kind"] for line in lines] == ["math", "integer", "integer", "math"]
    assert lines[0]["extracted"] == "5"
    assert (summary["n"], summary["agree"]) == (4, 2)
    assert (summary["false_positive"], summary["false_negative"]) == (1, 1)
    assert (summary["false_positive_ids"], summary["false_negative_ids"]) == (["c"], ["b"])
    assert summary["by_kind"]["integer"] == {"n": 2, "agree": 0}
    assert summary["seconds"] > 0
    assert summary["per_second"] > 0


def test_a_kind_on_the_command_line_wins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = cases(tmp_path, {"gold": "3.14", "completion": "\\boxed{3.145}", "expected": True, "kind": "exact"})
    assert main([str(file), "--kind", "number"]) == 0
    assert "1 of 1 as expected" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("not json", "line 1: not JSON"),
        ({"completion": "5"}, "a row needs a gold"),
        ({"gold": "5"}, "a row needs a completion"),
        ({"gold": "5", "completion_expr": "open('x').read()"}, "completion_expr"),
        ({"gold": "5", "completion": "5", "expected": "yes"}, "expected must be true or false"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: dict[str, Any] | str, message: str
) -> None:
    assert main([str(cases(tmp_path, row))]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_file_and_an_unknown_kind_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.jsonl")]) == 2
    assert main([str(cases(tmp_path)), "--kind", "mth"]) == 2
    assert "did you mean math" in capsys.readouterr().err


def test_expressions_of_texts_are_read() -> None:
    assert read_literal("'\\\\boxed{' + '1' * 3 + '}'") == "\\boxed{111}"
    assert read_literal("('a '*3).strip()") == "a a a"
    assert read_literal("'-'.join(['a', 'b' * 2])") == "a-bb"
    assert read_literal("2 * (1 + 1) * 'x' + chr(955)") == "xxxxλ"


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "5",
        "'a' * 10**9",
        "'a' * 100000000",
        "__import__('os')",
        "[c for c in 'a']",
        "f'{1}'",
        "'a'.format()",
        "'a' + 1",
    ],
)
def test_anything_else_is_refused(expression: str) -> None:
    with pytest.raises(ValueError):
        read_literal(expression)
