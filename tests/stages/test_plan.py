"""The steps of a point: which there are, in which order, and what each is made from."""

from __future__ import annotations

import pytest

from exp.config.compose import compose_point
from exp.errors import Refused
from exp.stages.plan import Step, phases, plan, point_id

BASE = "0123456789abcdef"


def steps_of(*words: str, start: tuple[str, str] | None = None) -> dict[str, Step]:
    """The steps of a point on one and the same base, by name."""
    return {step.name: step for step in plan(compose_point(["model=qwen06b", *words]), BASE, start)}


def test_the_default_run_prepares_data_measures_the_base_trains_twice_and_measures_after_each() -> None:
    names = ["data:sft", "data:rl", "data:eval", "eval:base", "sft", "eval:sft", "grpo", "eval:grpo"]
    assert list(steps_of()) == names


def test_the_steps_come_in_the_order_they_need_each_other() -> None:
    seen = {BASE}
    for step in steps_of("grpo.phases=[{steps: 5}, {steps: 6}]").values():
        assert {identity.rpartition("/")[2] for identity in step.inputs.values()} <= seen
        seen.add(step.identity)


@pytest.mark.parametrize("words", [["grpo=none"], ["eval=none"], ["eval.base=false"]])
def test_a_stage_that_is_left_out_leaves_the_others_as_they_are(words: list[str]) -> None:
    whole, part = steps_of(), steps_of(*words)
    assert 0 < len(part) < len(whole)
    assert whole.items() >= part.items()


def test_without_sft_grpo_starts_from_the_base_model() -> None:
    steps = steps_of("sft=none")
    assert not {"sft", "data:sft", "eval:sft"} & set(steps)
    assert steps["grpo"].inputs["model"] == f"base/{BASE}"


def test_grpo_can_start_from_another_runs_model() -> None:
    words = ["sft=none", "grpo.start_from=words"]
    first, second = (steps_of(*words, start=("sft", name)) for name in ("aaaa", "bbbb"))
    assert first["grpo"].inputs["model"] == "sft/aaaa"
    assert first["grpo"].identity != second["grpo"].identity
    assert first["data:rl"] == second["data:rl"]


def test_each_phase_continues_the_one_before_and_an_added_one_changes_none_of_them() -> None:
    one = steps_of("grpo.phases=[{steps: 5}]")
    two = steps_of("grpo.phases=[{steps: 5}, {steps: 6, context_total: 512}]")
    assert [name for name, step in two.items() if step.stage == "grpo"] == ["grpo", "grpo:2"]
    assert two["grpo:2"].inputs["model"] == f"grpo/{two['grpo'].identity}"
    assert two["eval:grpo"].inputs["model"] == f"grpo/{two['grpo:2'].identity}"
    assert two["grpo"] == one["grpo"]


def test_a_phase_takes_what_it_does_not_say_from_its_groups() -> None:
    point = compose_point(["grpo.phases=[{steps: 5}, {steps: 6, learning_rate: 1e-6}]", "context=2k"])
    first, second = phases(point)
    assert (first.steps, first.context_total, first.learning_rate) == (5, 2048, point.grpo.learning_rate)
    assert (second.steps, second.context_total, second.learning_rate) == (6, 2048, 1e-6)


def test_a_dataset_without_the_rows_a_stage_needs_is_refused() -> None:
    with pytest.raises(Refused, match="questions with verifiable answers") as refused:
        steps_of("dataset=openthoughts3")
    assert refused.value.problems[0].fix.startswith("grpo=none")
    assert "sft" in steps_of("dataset=openthoughts3", "grpo=none")


def test_data_that_is_not_there_is_refused_with_its_key() -> None:
    with pytest.raises(Refused) as refused:
        steps_of("dataset=gsm8k", "dataset.path=nowhere/rows.jsonl")
    assert refused.value.problems[0].where == "dataset.path"


def test_a_points_identity_is_that_of_all_its_steps() -> None:
    steps = list(steps_of().values())
    assert point_id(steps) == point_id(list(steps))
    assert len({point_id(steps[:n]) for n in range(1, len(steps) + 1)}) == len(steps)
