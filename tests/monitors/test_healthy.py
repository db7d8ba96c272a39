"""No monitor may cry on a healthy run, whatever its size, reward or beginning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.monitors.stream import Pay, Policy, Step, formed, truth, watch


def learning(step: Step) -> str:
    """Right from 30 to 70 %, in good form from 85 to 98 %, growing longer as it gets better."""
    text = formed(step.prose(round(30 + 30 * step.progress)), step.answer(0.3 + 0.4 * step.progress))
    return text if step.chance(0.85 + 0.13 * step.progress) else text.replace("</think>", "")


def solving(step: Step) -> str:
    """Right at last in nearly all cases, so that most groups are all right and short texts are the same."""
    return formed("a b c", step.answer(0.6 + 0.6 * step.progress))


def beginning(step: Step) -> str | tuple[str, bool]:
    """Without any SFT: rambles at first, learns the form within a third of the run, and the task with it."""
    if step.chance(min(1.0, 0.1 + 3 * step.progress)):
        return formed(step.prose(30), step.answer(0.2 + 0.4 * step.progress))
    return "so " * 80 + "<think>", False


def shrinking(step: Step) -> str:
    """Learns to be brief while it gets better."""
    return formed(step.prose(round(100 - 70 * step.progress)), step.answer(0.3 + 0.4 * step.progress))


def stagnating(step: Step) -> str:
    """Learns nothing, and does nothing wrong either."""
    return formed(step.prose(30), step.answer(0.4))


def easy_or_hard(step: Step) -> str:
    """Questions that differ much in difficulty, as real ones do."""
    return formed(step.prose(30), step.answer(0.4 + 1.5 * step.skill + 0.2 * step.progress))


def lenient(row: dict[str, Any]) -> float:
    return 0.8 * (row["verdict"] == "right") + 0.2 * row["well_formed"]


def penalised(row: dict[str, Any]) -> float:
    return truth(row) - min(1.0, row["tokens"] / 100)


POLICIES = [learning, solving, beginning, shrinking, stagnating, easy_or_hard]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("pay", [truth, lenient, penalised])
def test_a_healthy_run_raises_nothing_whatever_its_reward(tmp_path: Path, policy: Policy, pay: Pay) -> None:
    assert watch(tmp_path, policy, pay) == {}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("questions", "size"), [(2, 8), (1, 16), (16, 2)])
def test_a_healthy_run_raises_nothing_however_small_its_batches(
    tmp_path: Path, policy: Policy, questions: int, size: int
) -> None:
    assert watch(tmp_path, policy, truth, questions, size) == {}
