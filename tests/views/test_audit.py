"""`python -m exp audit` as it is typed."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from exp.errors import Refused
from exp.rewards.attacks import ATTACKS
from exp.views.audit import PIPED, main

PENS = [
    {"question": "Tom has 3 pens and buys 4 more. How many?", "answer": "7"},
    {"question": "24 children form groups of 3. How many groups?", "answer": "8"},
    {"question": "Ann reads 20 pages a day. How many in 5 days?", "answer": "100"},
]


@pytest.fixture
def pens(tmp_path: Path) -> list[str]:
    """Overrides that choose a small file of questions."""
    file = tmp_path / "pens.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in PENS), encoding="utf-8")
    return ["dataset=jsonl", f"dataset.path={file}"]


@pytest.fixture
def substring(tmp_path: Path) -> list[str]:
    """Overrides that choose a broken reward."""
    file = tmp_path / "mine.py"
    text = "def contains(batch):\n    return [float(g in c.text) for c, g in zip(batch.completions, batch.golds)]\n"
    file.write_text(text, encoding="utf-8")
    return ["~reward.components.strict", f"reward.components.mine.function={file}:contains"]


def as_json(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, Any]:
    assert main(["--json", *words]) == status
    content: dict[str, Any] = json.loads(capsys.readouterr().out)
    return content


def test_the_json_lists_every_attack_with_its_pay(capsys: pytest.CaptureFixture[str], pens: list[str]) -> None:
    content = as_json(capsys, *pens, "reward=lenient")
    assert (content["rows"], content["maximum"], content["problems"]) == (3, pytest.approx(1.0), [])
    assert content["golds"]["failing"] == 0
    assert content["wrong"]["highest"] == pytest.approx(0.2)
    attacks = {attack["name"]: attack for attack in content["attacks"]}
    assert set(attacks) == set(ATTACKS) - {"sum not worked out"}
    twice = attacks["repeated blocks"]
    assert (twice["verdict"], twice["share"]) == ("pays", pytest.approx(0.8))
    assert twice["example"]["verdict"] == "right"
    assert twice["example"]["completion"].count("<answer>7</answer>") == 2
    assert twice["example"]["components"] == pytest.approx({"marks": 0.8, "format": 0.0})
    assert content["warnings"]


def test_a_sound_reward_gives_status_0_and_a_broken_one_1(
    capsys: pytest.CaptureFixture[str], pens: list[str], substring: list[str]
) -> None:
    assert as_json(capsys, *pens)["problems"] == []
    (first, *_) = as_json(capsys, *pens, *substring, status=1)["problems"]
    assert first["where"] == "reward.components.mine"
    assert "every number" in first["what"]
    assert first["fix"] == "reward=strict"


def test_rows_limits_how_many_are_read(capsys: pytest.CaptureFixture[str], pens: list[str]) -> None:
    assert as_json(capsys, "--rows", "2", *pens)["rows"] == 2


def test_piped_output_is_one_tab_separated_line_an_attack(
    capsys: pytest.CaptureFixture[str], pens: list[str], substring: list[str]
) -> None:
    assert main([*pens, *substring]) == 1
    said = capsys.readouterr()
    lines = [line.split("\t") for line in said.out.splitlines()]
    assert lines[0] == list(PIPED)
    assert {len(line) for line in lines} == {len(PIPED)}
    assert [line[0] for line in lines[1:4]] == ["golds", "wrong answers", "tags at the end"]
    cells = {line[0]: line for line in lines}
    assert cells["negated answer"][2:7] == ["1.0", "1.0", "1.0", "0.0", "pays"]
    assert "not 7" in json.loads(cells["negated answer"][9])
    assert "problem: reward.components.mine" in said.err


def test_rows_that_cannot_be_used_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(PENS[0]) + "\n" + json.dumps({"question": "?", "answer": " "}) + "\n", encoding="utf-8")
    content = as_json(capsys, "dataset=jsonl", f"dataset.path={file}")
    assert content["rows"] == 1
    assert "rows left out: no answer to verify against (1)" in [warning["what"] for warning in content["warnings"]]


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (["reward.components.strict.options.size=3"], "reward.components.strict.options.size"),
        (["dataset=openthoughts3"], "dataset.rl"),
        (["dataset.rl.path=nowhere.jsonl", "dataset.rl.name=rows"], "dataset.rl.path"),
        (["--rows", "0"], "dataset.rl"),
    ],
)
def test_a_mistake_is_refused_for_people_and_told_in_json(
    capsys: pytest.CaptureFixture[str], words: list[str], where: str
) -> None:
    with pytest.raises(Refused):
        main(words)
    assert [problem["where"] for problem in as_json(capsys, *words, status=1)["problems"]] == [where]


def test_a_terminal_shows_the_table_and_the_completions_that_pay(pens: list[str], substring: list[str]) -> None:
    theirs, ours = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "exp", "audit", *pens, *substring], stdout=ours, stderr=ours)
    os.close(ours)
    said = b""
    try:
        while part := os.read(theirs, 65536):
            said += part
    except OSError:  # how Linux says that nobody holds the other end any more
        pass
    os.close(theirs)
    assert process.wait(timeout=60) == 1
    text = said.decode("utf-8")
    assert "3 questions; a right answer in perfect form is paid 1.00" in text
    assert "negated answer: `not` and the gold" in text
    assert "gold '7', extracted 'not 7': unparseable, in form: mine 1.00" in text


def test_data_cannot_command_the_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, substring: list[str]
) -> None:
    file = tmp_path / "hostile.jsonl"
    file.write_text(json.dumps({"question": "Which?", "answer": "\x1b]0;owned\x07a"}), encoding="utf-8")
    main(["dataset=jsonl", f"dataset.path={file}", "dataset.rl.kind=exact", *substring])
    said = capsys.readouterr()
    assert "owned" in said.out
    assert "\x1b" not in said.out + said.err


def test_the_audit_starts_without_the_slow_libraries(pens: list[str]) -> None:
    program = (
        "import sys; from exp.views.audit import main; main(sys.argv[1:]);"
        "print(sorted({'torch', 'transformers', 'trl', 'datasets', 'peft'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *pens], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"
