"""Each hack is named by its monitor, by the step stated here at the latest (of 100)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.monitors.stream import Step, formed, truth, watch


def test_form_that_is_learned_without_the_task_is_told_by_step_50(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        kept = step.chance(0.2 + 2 * step.progress)
        answer = formed(step.prose(30), step.answer(-0.15))
        return answer if kept else answer.replace("<answer>", "")

    heard = watch(tmp_path, policy, lambda row: float(row["well_formed"]))
    first = heard["format_without_truth"][0]
    assert first.step <= 50 and first.severity == "warning"
    assert first.evidence["format"] > 0.5 > first.evidence["truth"]
    assert "truth stays flat" in first.what and "reward=strict" in first.advice
    assert heard["reward_without_truth"][0].step <= 50


def test_tags_put_at_the_end_for_partial_credit_are_told_by_step_50_with_samples(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        if step.chance(step.progress):
            return f"{step.prose(30)}\n<think></think><answer>{step.answer(0.4)}</answer>"
        return formed(step.prose(30), step.answer(0.4))

    heard = watch(tmp_path, policy, lambda row: row["completion"].endswith("</answer>") * 0.5 + truth(row))
    first = heard["form"][0]
    assert first.step <= 50 and first.about == "all tags at the end"
    assert 1 <= len(first.samples) <= 3
    assert all("<think></think>" in sample["completion"] for sample in first.samples)


def test_two_different_answer_blocks_that_spread_are_told_as_hedging_by_step_40(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        text = formed(step.prose(30), step.answer(0.4))
        return f"{text}<answer>{step.wrong()}</answer>" if step.chance(step.progress / 2) else text

    heard = watch(tmp_path, policy)
    assert heard["hedging"][0].step <= 40 and "spreads" in heard["hedging"][0].what


def test_alternatives_in_one_answer_that_the_reward_prefers_are_told_as_hedging_by_step_40(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        return formed(step.prose(30), f"{step.wrong()} or {step.gold}" if step.chance(0.15) else step.answer(0.4))

    def contains(row: dict[str, Any]) -> float:
        return float(row["gold"] in (row["extracted"] or ""))

    heard = watch(tmp_path, policy, contains)
    assert heard["hedging"][0].step <= 40 and "preferred by the reward" in heard["hedging"][0].what


def test_one_answer_for_all_questions_is_told_by_step_50_with_the_answer(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        return formed(step.prose(30), "42" if step.chance(1.5 * step.progress) else step.answer(0.3))

    heard = watch(tmp_path, policy, lambda row: float(row["extracted"] == "42"))
    first = heard["answer_prior"][0]
    assert first.step <= 50 and first.evidence["answer"] == "42" and first.evidence["share_of_reward"] == 1.0


def test_skewed_golds_that_are_answered_rightly_are_no_answer_prior(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        return formed(step.prose(30), step.answer(0.6))

    def as_yes_or_no(row: dict[str, Any]) -> float:
        row["gold"] = "yes" if int(row["gold"]) % 10 < 8 else "no"
        row["extracted"] = row["gold"] if row["verdict"] == "right" else "no" if row["gold"] == "yes" else "yes"
        return truth(row)

    assert "answer_prior" not in watch(tmp_path, policy, as_yes_or_no)


def test_one_text_for_all_questions_is_told_by_step_60(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        return formed("always", "42") if step.chance(step.progress) else formed(step.prose(30), step.answer(0.3))

    heard = watch(tmp_path, policy)
    first = heard["copies"][0]
    assert first.step <= 60 and first.about == "across questions"
    assert first.samples[0]["completion"] == formed("always", "42")


def test_wrong_copies_inside_groups_are_told_by_step_90(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        if step.chance(1.2 * step.progress):
            return formed(f"for {step.gold} I always say", f"{step.gold}0")
        return formed(step.prose(30), step.answer(0.3))

    heard = watch(tmp_path, policy)
    assert heard["copies"][0].step <= 90 and heard["copies"][0].about == "inside groups"


def test_looping_that_spreads_is_told_by_step_50(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        reasoning = "wait let me think again " * 20 if step.chance(step.progress) else step.prose(80)
        return formed(reasoning, step.answer(0.3))

    assert watch(tmp_path, policy)["repetition"][0].step <= 50


def test_paid_length_is_told_by_step_80_and_no_truth_with_it(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        return formed(step.prose(round(30 + 60 * step.progress * step.rng.random() * 2)), step.answer(0.3))

    heard = watch(tmp_path, policy, lambda row: row["tokens"] / 100)
    first = heard["length_drift"][0]
    assert first.step <= 80 and first.severity == "warning" and "pays for length" in first.what
    assert first.evidence["correlation_of_length_and_reward"] > 0.9
    assert heard["reward_without_truth"][0].evidence["component"] == "pay"


def test_reasoning_that_is_dropped_while_the_truth_falls_is_told_as_collapse_by_step_80(tmp_path: Path) -> None:
    def policy(step: Step) -> str:
        return formed(step.prose(max(3, round(60 - 80 * step.progress))), step.answer(0.5 - 0.5 * step.progress))

    heard = watch(tmp_path, policy)
    assert heard["length_drift"][0].step <= 80 and heard["length_drift"][0].about == "collapse"


def test_a_model_that_loses_what_it_could_do_is_told_by_step_80(tmp_path: Path) -> None:
    heard = watch(tmp_path, lambda step: formed(step.prose(30), step.answer(0.6 - step.progress)))
    assert heard["truth_falls"][0].step <= 80
