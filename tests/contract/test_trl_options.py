"""Options that pass through to TRL are those the installed version has, and none that this package sets itself."""

from __future__ import annotations

import shlex
from dataclasses import fields

import pytest

from exp.config.compose import compose_point
from exp.config.training import GRPO, SFT
from exp.contract.trl_options import DERIVED, OWNED, REFUSED, extra_problems, trl_options
from exp.errors import Problem


def only_problem(group: str, **extra: object) -> Problem:
    (problem,) = extra_problems(group, extra)
    return problem


def test_an_option_of_trl_passes() -> None:
    assert extra_problems("sft", {"neftune_noise_alpha": 5.0, "optim": "adamw_torch"}) == []
    assert extra_problems("grpo", {"top_k": 20, "repetition_penalty": 1.1, "optim": "adamw_torch"}) == []
    assert extra_problems("grpo", {}) == []


def test_a_misspelt_option_is_met_with_the_right_one() -> None:
    problem = only_problem("grpo", repetition_penlty=1.1)
    assert problem.where == "grpo.extra.repetition_penlty"
    assert "repetition_penalty" in problem.fix
    assert "GRPOConfig" in problem.what


def test_an_option_of_the_other_trainer_is_unknown() -> None:
    assert "no option" in only_problem("sft", top_k=3).what


@pytest.mark.parametrize("group", ["sft", "grpo"])
def test_an_option_with_a_field_of_its_own_is_sent_there_and_the_field_takes_it(group: str) -> None:
    model = SFT if group == "sft" else GRPO
    sent = {key: field for key, field in OWNED.items() if field in model.model_fields}
    assert sent
    for key, field in sent.items():
        value = compose_point([]).model_dump()[group][field]
        problem = only_problem(group, **{key: value})
        assert problem.fix.startswith(f"{group}.{field}=")
        if value is not None:
            (word,) = shlex.split(problem.fix)
            assert compose_point([word]).model_dump()[group][field] == value


def test_sequences_per_device_are_the_micro_batch() -> None:
    assert only_problem("grpo", per_device_train_batch_size=4).fix == "grpo.micro_batch_size=4"


def test_an_option_that_follows_from_another_setting_names_it() -> None:
    assert "context.total" in only_problem("grpo", max_completion_length=100).fix
    assert "seed" in only_problem("sft", seed=3).fix


@pytest.mark.parametrize("name", REFUSED)
def test_an_option_that_would_break_a_promise_is_refused(name: str) -> None:
    assert only_problem("sft", **{name: True}).what == "is set by this package and cannot be passed through"


def test_all_wrong_options_are_listed() -> None:
    assert len(extra_problems("grpo", {"nothing": 1, "seed": 2, "beta": 0.1, "output_dir": "x", "top_k": 3})) == 4


@pytest.mark.slow
def test_the_options_read_from_the_source_are_those_of_the_installed_classes() -> None:
    from trl import GRPOConfig, SFTConfig

    assert trl_options("sft") == {field.name for field in fields(SFTConfig)}
    assert trl_options("grpo") == {field.name for field in fields(GRPOConfig)}


def test_what_is_said_of_options_is_said_of_options_that_exist() -> None:
    known = trl_options("sft") | trl_options("grpo")
    assert {*OWNED, *DERIVED, *REFUSED} <= known
