"""Groups without signal, judged against what is unavoidable; entropy; trouble with the verifier; loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from tests.monitors.stream import STEPS, Step, formed, point, watch

from exp.monitors.alert import Alert
from exp.monitors.watch import Monitors
from exp.rewards.verify import FAILED


def follow(folder: Path, stage: str, rows: list[dict[str, Any]], path: str | None = None) -> list[Alert]:
    """The alerts over rows of metrics alone."""
    heard: list[Alert] = []
    monitors = Monitors(point(path=path), folder, heard.append)
    (folder / "artifacts" / stage).mkdir(parents=True)
    monitors.started(stage, len(rows), 0)
    for number, row in enumerate(rows, 1):
        monitors.metrics({"stage": stage, "step": number, **row})
    return heard


def test_a_reward_that_never_varies_is_told_by_step_25(tmp_path: Path) -> None:
    heard = watch(tmp_path, lambda step: formed(step.prose(30), step.answer(0.4)), lambda row: 0.0)
    assert heard["no_signal"][0].step <= 25 and "nothing can be learned" in heard["no_signal"][0].what


def test_two_generations_at_a_fair_pass_rate_lose_only_what_is_unavoidable(tmp_path: Path) -> None:
    assert "no_signal" not in watch(tmp_path, lambda step: formed(step.prose(30), step.answer(0.3)), size=2)


def test_questions_nearly_all_too_hard_are_told_by_step_25_with_the_unavoidable_share(tmp_path: Path) -> None:
    first = watch(tmp_path, lambda step: formed(step.prose(30), step.gold if step.chance(0.005) else step.wrong()))[
        "no_signal"
    ][0]
    assert first.step <= 25 and "too hard" in first.what and "easier questions" in first.advice
    assert first.evidence["unavoidable_share"] == pytest.approx(0.98, abs=0.01)


def test_questions_either_solved_or_hopeless_lose_far_more_than_is_unavoidable(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        return formed(step.prose(30), step.gold if step.skill > 0 else step.wrong())

    first = watch(tmp_path, policy, lambda row: float(row["verdict"] == "right"))["no_signal"][0]
    assert first.severity == "warning" and first.step <= 25
    assert first.evidence["share"] == 1.0 and first.evidence["unavoidable_share"] < 0.2


def test_entropy_that_falls_to_a_tenth_is_told_once_there(tmp_path: Path) -> None:
    heard = follow(tmp_path, "grpo", [{"entropy": 0.5 * 0.95**n, "truth": 0.4} for n in range(STEPS)])
    assert [(a.monitor, a.about) for a in heard][:1] == [("entropy", "fell")]
    assert 45 <= heard[0].step <= 60


def test_entropy_that_falls_because_the_task_is_solved_is_no_alert(tmp_path: Path) -> None:
    rows = [{"entropy": 0.5 * 0.95**n, "truth": min(1.0, 0.4 + n / 40)} for n in range(STEPS)]
    assert follow(tmp_path, "grpo", rows) == []


def test_entropy_that_rises_tenfold_is_told(tmp_path: Path) -> None:
    (alert, *_) = follow(tmp_path, "grpo", [{"entropy": 0.1 * 1.05**n, "truth": 0.1} for n in range(STEPS)])
    assert alert.about == "rose" and "noise" in alert.what


@pytest.mark.parametrize(
    ("verdict", "reason", "share", "about", "step"),
    [
        ("unparseable", "no number", 0.3, "unparseable", 25),
        ("timeout", "no reply", 0.1, "timeout", 15),
        ("unparseable", f"{FAILED}: RecursionError", 0.01, "failed", 10),
    ],
)
def test_trouble_of_the_verifier_is_told_with_its_reason(
    tmp_path: Path, verdict: str, reason: str, share: float, about: str, step: int
) -> None:
    def trouble(row: dict[str, Any]) -> float:
        if crc32(row["completion"].encode()) % 1000 < 1000 * share:
            row |= {"verdict": verdict, "reason": reason}
        return float(row["verdict"] == "right")

    first = watch(tmp_path, lambda s: formed(s.prose(30), s.answer(0.3)), trouble)["verifier"][0]
    assert first.about == about and first.step <= step
    assert all(sample["reason"].startswith(reason) for sample in first.samples)


def test_a_training_verifier_that_the_datasets_own_contradicts_is_told(tmp_path: Path) -> None:
    def lax(row: dict[str, Any]) -> float:
        if row["verdict"] == "right" and crc32(row["completion"].encode()) % 4 == 0:
            row["strict"] = 0.0
        return float(row["verdict"] == "right")

    first = watch(tmp_path, lambda s: formed(s.prose(30), s.answer(0.5)), lax)["verifier"][0]
    assert first.about == "disagreement" and first.step <= 15
    assert "dataset's own verifier" in first.what


@pytest.mark.parametrize(
    ("row", "about"), [({"loss": float("nan")}, "loss"), ({"loss": 0.1, "grad_norm": float("nan")}, "grad_norm")]
)
@pytest.mark.parametrize("stage", ["sft", "grpo"])
def test_a_number_that_is_none_is_told_at_once_and_once(
    tmp_path: Path, stage: str, row: dict[str, Any], about: str
) -> None:
    heard = follow(tmp_path, stage, [{"loss": 1.0, "grad_norm": 1.0}] * 5 + [row] * 5)
    assert [(a.monitor, a.about, a.step) for a in heard] == [("not_finite", about, 6)]


def test_one_infinite_gradient_is_how_fp16_finds_its_scale(tmp_path: Path) -> None:
    rows = [{"loss": 1.0, "grad_norm": 1.0}] * 20
    assert follow(tmp_path, "grpo", [{"loss": 1.0, "grad_norm": float("inf")}, *rows]) == []


def falling(start: float, end: float) -> list[dict[str, Any]]:
    return [
        {"loss": end + (start - end) * 0.9**n + 0.01 * end * (n % 5), "grad_norm": 1.0, "epoch": n / 40}
        for n in range(STEPS)
    ]


def test_an_sft_loss_that_settles_in_the_band_is_no_alert(tmp_path: Path) -> None:
    assert follow(tmp_path, "sft", falling(1.4, 0.5)) == []


@pytest.mark.parametrize(("end", "about"), [(0.02, "by heart"), (1.1, "above the band")])
def test_an_sft_loss_that_ends_outside_the_band_is_a_note_at_the_end(tmp_path: Path, end: float, about: str) -> None:
    (alert,) = follow(tmp_path, "sft", falling(3.0, end))
    assert (alert.severity, alert.about) == ("note", about) and alert.step >= 90


def test_the_band_is_not_asked_of_the_embedded_model(tmp_path: Path) -> None:
    assert follow(tmp_path, "sft", falling(6.0, 0.04), path="embedded:tiny") == []


def test_an_sft_loss_that_rises_again_is_a_warning_by_step_80(tmp_path: Path) -> None:
    rows = [{"loss": 1.0 + 0.001 * (n % 5) + max(0.0, (n - 50) / 20), "grad_norm": 1.0} for n in range(STEPS)]
    assert [(a.about, a.severity) for a in follow(tmp_path, "sft", rows)][:1] == [("rises", "warning")]


def test_an_sft_loss_that_does_not_fall_is_a_warning_at_the_end(tmp_path: Path) -> None:
    rows = [{"loss": 2.0 + 0.01 * (n % 7), "grad_norm": 1.0} for n in range(STEPS)]
    assert [(a.about, a.severity) for a in follow(tmp_path, "sft", rows)] == [("flat", "warning")]
