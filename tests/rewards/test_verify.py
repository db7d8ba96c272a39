"""The table of kinds, a user's own verifier, and the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from exp.errors import Refused
from exp.rewards.verdict import Verdict
from exp.rewards.verify import KINDS, gold_problem, verify


def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refused, match="did you mean math"):
        verify("5", "5", "mth")


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_answer_never_pays(kind: str) -> None:
    for gold in ("5", "A", ""):
        assert verify("", gold, kind).verdict is Verdict.NO_ANSWER
        assert verify(" \n", gold, kind).score == 0


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_gold_is_reported(kind: str) -> None:
    assert gold_problem(" ", kind)


def test_a_megabyte_is_no_answer_unless_the_gold_says_it() -> None:
    assert verify("5" * 10**6, "5", "math").verdict is Verdict.UNPARSEABLE
    assert verify("5" * 10**5, "5" * 10**5, "exact").verdict is Verdict.RIGHT


def test_a_users_verifier_returns_a_bool_or_a_score(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "def same_length(answer, gold):\n    print('noise')\n    return len(answer) / len(gold)\n", encoding="utf-8"
    )
    kind = f"{file}:same_length"
    assert verify("abcd", "efgh", kind).verdict is Verdict.RIGHT
    half = verify("ab", "efgh", kind)
    assert (half.verdict, half.score) == (Verdict.WRONG, 0.5)
    assert gold_problem("abc", kind) is None


def test_a_users_verifier_that_fails_is_refused_with_its_error(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def broken(answer, gold):\n    return int(answer) == gold.missing\n", encoding="utf-8")
    with pytest.raises(Refused, match="AttributeError"):
        verify("5", "5", f"{file}:broken")


def test_a_users_verifier_that_hangs_is_a_timeout(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import time\ndef slow(answer, gold):\n    time.sleep(60)\n", encoding="utf-8")
    assert verify("5", "5", f"{file}:slow").verdict is Verdict.TIMEOUT
