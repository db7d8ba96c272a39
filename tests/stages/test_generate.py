"""Generating: padding changes nothing, completions end where the model ended them, and a seed repeats them."""

from __future__ import annotations

from typing import Any

import pytest

from exp.config.compose import compose_point
from exp.models.load import load_base
from exp.models.source import find_base
from exp.models.tokenizer import load_tokenizer
from exp.rewards.judge import Completion
from exp.stages.generate import Sampling, generate

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return load_tokenizer(find_base(compose_point([]).model))


@pytest.fixture(scope="module")
def model() -> Any:
    point = compose_point([])
    return load_base(find_base(point.model), point.model, point.backend)


@pytest.fixture(scope="module")
def prompts(tokenizer: Any) -> list[list[int]]:
    """Prompts of different lengths."""
    return [tokenizer.encode(text) for text in ("1+2=?", "34+56=?", "7+8=? 9+9=? 12+34=?")]


def completions(model: Any, tokenizer: Any, prompts: list[list[int]], sampling: Sampling, **options: Any) -> list[Any]:
    stop_ids = options.get("stop_ids", [tokenizer.eos_token_id])
    return generate(model, tokenizer, prompts, stop_ids, options.get("opened", False), sampling, options.get("seed", 0))


def test_a_prompt_is_answered_alike_alone_and_beside_longer_ones(
    model: Any, tokenizer: Any, prompts: list[list[int]]
) -> None:
    sampling = Sampling(12)
    together = completions(model, tokenizer, prompts, sampling)
    assert together == [completions(model, tokenizer, [prompt], sampling)[0] for prompt in prompts]
    assert all(len(answers) == 1 for answers in together)


def test_a_seed_repeats_sampled_completions_and_another_does_not(
    model: Any, tokenizer: Any, prompts: list[list[int]]
) -> None:
    sampling = Sampling(12, temperature=1.5, samples=4)
    first = completions(model, tokenizer, prompts, sampling, seed=3)
    assert first == completions(model, tokenizer, prompts, sampling, seed=3)
    assert first != completions(model, tokenizer, prompts, sampling, seed=4)
    assert [len(answers) for answers in first] == [4, 4, 4]
    assert len({answer.text for answer in first[0]}) > 1


def test_greedy_completions_do_not_depend_on_the_seed(model: Any, tokenizer: Any, prompts: list[list[int]]) -> None:
    found = [completions(model, tokenizer, prompts, Sampling(8), seed=seed) for seed in (0, 1)]
    assert found[0] == found[1]


def test_a_completion_ends_before_its_stop_token_which_is_counted(
    model: Any, tokenizer: Any, prompts: list[list[int]]
) -> None:
    (prompt,) = prompts[:1]
    (whole,) = completions(model, tokenizer, [prompt], Sampling(6), stop_ids=[])[0]
    assert (whole.ended, whole.num_tokens) == (False, 6)
    third = tokenizer.encode(whole.text)[2]
    (cut,) = completions(model, tokenizer, [prompt], Sampling(6), stop_ids=[third])[0]
    assert cut.ended
    assert cut.num_tokens <= 3
    assert whole.text.startswith(cut.text)
    assert tokenizer.decode([third]) not in cut.text


def test_a_completion_without_a_stop_token_was_cut_off(model: Any, tokenizer: Any, prompts: list[list[int]]) -> None:
    (answer,) = completions(model, tokenizer, prompts[:1], Sampling(2), stop_ids=[tokenizer.pad_token_id])[0]
    assert isinstance(answer, Completion)
    assert (answer.ended, answer.num_tokens) == (False, 2)


def test_whether_the_prompt_opened_the_reasoning_is_handed_on(
    model: Any, tokenizer: Any, prompts: list[list[int]]
) -> None:
    for opened in (False, True):
        (answer,) = completions(model, tokenizer, prompts[:1], Sampling(2), opened=opened)[0]
        assert answer.opened is opened
