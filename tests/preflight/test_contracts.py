"""Rules between groups: each broken one is found before anything is loaded, and what is proposed mends it."""

from __future__ import annotations

import shlex

import pytest

from exp.config.compose import compose_point
from exp.errors import Problem, Refused
from exp.preflight.contracts import contract_problems, require_contracts

START = ["model=qwen06b", "dataset=gsm8k"]


def problems(*words: str) -> list[Problem]:
    return contract_problems(compose_point([*START, *words]))


def overrides_in(fix: str) -> list[str]:
    """The overrides a fix proposes, without the words around them."""
    return [word for word in shlex.split(fix.replace(", or ", " ")) if "=" in word]


@pytest.mark.parametrize(
    "model", ["tiny", "smollm2_135m", "qwen06b", "qwen8b", "qwen25_0_5b", "qwen25_7b", "llama32_1b", "llama31_8b"]
)
def test_a_shipped_model_with_its_defaults_breaks_no_rule(model: str) -> None:
    assert contract_problems(compose_point([f"model={model}"])) == []


@pytest.mark.parametrize("grpo", ["grpo", "dapo", "dr_grpo", "gspo", "cispo", "cpu"])
@pytest.mark.parametrize("generations", ["g2", "g8"])
def test_every_variant_takes_few_and_many_generations(grpo: str, generations: str) -> None:
    assert problems(f"grpo={grpo}", f"generations={generations}") == []


@pytest.mark.parametrize(
    ("words", "check", "where"),
    [
        (["generations.num_generations=3", "grpo.batch_size=16"], "batch", "grpo.batch_size"),
        (["cluster.gpus=2"], "devices", "cluster.gpus"),
        (["dataset.rl.kind=numbr"], "", "dataset.rl.kind"),
        (["grpo.steps=-1"], "steps", "grpo.steps"),
        (["grpo.steps=0"], "steps", "grpo.steps"),
        (["sft.steps=0"], "steps", "sft.steps"),
        (["sft.packing=true"], "packing", "sft.packing"),
        (["eval.greedy=false", "eval.samples=0"], "eval", "eval.greedy"),
        (["context.total=50000"], "context", "context.total"),
        (["grpo.phases=[{steps: 5, context_total: 50000}, {steps: 6}]"], "context", "grpo.phases"),
        (["context.total=32", "context.prompt_share=0.9"], "context", "context.prompt_share"),
        (["+grpo.extra.beta=0.1"], "extra", "grpo.extra.beta"),
        (["+sft.extra.neftune=5"], "extra", "sft.extra.neftune"),
    ],
)
def test_a_broken_rule_is_named_and_every_proposal_mends_it(words: list[str], check: str, where: str) -> None:
    (problem,) = problems(*words)
    assert problem.check == check
    assert problem.where.startswith(where)
    if check != "extra":
        proposals = overrides_in(problem.fix)
        assert proposals
        assert [proposal for proposal in proposals if problems(*words, proposal)] == []


def test_a_run_in_which_nothing_is_enabled_is_refused() -> None:
    (problem,) = problems("sft=none", "grpo=none", "eval=none")
    assert problem.check == "stages"


def test_a_run_that_trains_sft_cannot_start_grpo_elsewhere() -> None:
    (problem,) = problems("grpo.start_from=abc")
    assert problem.fix == "add sft=none"
    assert problems("grpo.start_from=abc", "sft=none") == []


def test_what_is_switched_off_breaks_no_rule() -> None:
    assert problems("grpo.batch_size=7", "grpo=none") == []
    assert problems("sft.packing=true", "sft=none") == []
    assert problems("eval.greedy=false", "eval.samples=0", "eval=none") == []


def test_packing_is_sound_where_the_attention_keeps_examples_apart() -> None:
    assert problems("sft.packing=true", "backend.attention=flash_attention_2") == []


def test_phases_make_the_number_of_steps_unnecessary() -> None:
    assert problems("grpo.steps=-1", "grpo.phases=[{steps: 5}]") == []


def test_the_reward_is_checked_with_everything_else() -> None:
    (problem,) = problems("+reward.components.nothing_like_it.weight=1")
    assert problem.where == "reward.components.nothing_like_it.function"


def test_all_broken_rules_are_refused_at_once() -> None:
    words = ["generations.num_generations=3", "sft.packing=true", "context.total=50000", "+grpo.extra.sed=1"]
    with pytest.raises(Refused) as refused:
        require_contracts(compose_point([*START, *words]))
    assert [p.check for p in refused.value.problems] == ["packing", "batch", "extra", "context"]
    require_contracts(compose_point(START))
