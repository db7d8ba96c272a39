"""Cut-off completions get the verdict that names their cure."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.monitors.stream import Policy, Step, formed, watch

LIMIT = 60


def cut(text: str) -> tuple[str, bool]:
    words = text.split(" ")
    return (text, True) if len(words) <= LIMIT else (" ".join(words[:LIMIT]), False)


def long_reasoning(step: Step) -> tuple[str, bool]:
    return cut(formed(step.prose(step.rng.randrange(40, 80)), step.answer(0.3)))


def never_stopping(step: Step) -> tuple[str, bool]:
    text = formed(step.prose(10), step.answer(0.3))
    return (f"{text}\nHuman: {step.prose(40)}", False) if step.chance(0.5) else (text, True)


def looping(step: Step) -> tuple[str, bool]:
    return cut(formed("hmm so let me see " * 20, "1") if step.chance(0.4) else formed(step.prose(20), step.answer(0.3)))


def rambling(step: Step) -> tuple[str, bool]:
    return cut(formed(step.prose(90 if step.chance(0.3) else 12), step.answer(0.3)))


def unlearning(step: Step) -> tuple[str, bool]:
    text = formed(step.prose(10), step.answer(0.3))
    return (f"{text}\n<answer>{step.prose(40)}", False) if step.chance(step.progress) else (text, True)


@pytest.mark.parametrize(
    ("policy", "reason", "step"),
    [
        (long_reasoning, "limit too low", 40),
        (never_stopping, "stop token never learned", 40),
        (looping, "rambling, they repeat themselves", 40),
        (rambling, "rambling, since 90 % of those that end", 40),
        (unlearning, "no longer stop", 60),
        (lambda step: cut(formed(step.prose(100), step.gold)), "limit too low", 15),
    ],
)
def test_the_reason_of_cut_off_completions_is_named_in_time(
    tmp_path: Path, policy: Policy, reason: str, step: int
) -> None:
    first = watch(tmp_path, policy)["cut_off"][0]
    assert reason in first.what and first.step <= step
    assert all(not sample["ended"] for sample in first.samples)


def test_a_few_cut_off_completions_are_no_alert(tmp_path: Path) -> None:
    heard = watch(tmp_path, lambda step: cut(formed(step.prose(80 if step.chance(0.08) else 30), step.answer(0.3))))
    assert "cut_off" not in heard
