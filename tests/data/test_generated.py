"""Generated tasks: additions and reasoning-gym, the same for the same seed, verifiable throughout."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from exp.config.dataset import Source
from exp.data.generated import GYM_BLOCK, GYM_KINDS, additions, reasoning_gym
from exp.errors import Refused
from exp.rewards.verify import gold_problem


def questions(source: Source, seed: int, n: int) -> list[str]:
    return [e.question for e in islice(reasoning_gym(source, seed), n)]


def gym(task: str = "chain_sum", **values: Any) -> Source:
    return Source(name="reasoning_gym", options={"task": task}, **({"take": 10} | values))


@pytest.mark.parametrize(("split", "count", "traces"), [("sft", 9500, True), ("rl", 9500, False), ("eval", 500, False)])
def test_additions_use_every_pair_of_their_split(split: str, count: int, traces: bool) -> None:
    made = list(additions(Source(name="addition", split=split), seed=0))
    assert len(made) == len({e.question for e in made}) == count
    assert all((e.reasoning is not None) is traces for e in made)


def test_additions_have_the_three_splits_and_no_other() -> None:
    with pytest.raises(Refused, match="no split 'train'"):
        list(additions(Source(name="addition", split="train"), seed=0))


@pytest.mark.parametrize("task", list(GYM_KINDS))
def test_every_allowed_task_has_answers_that_verify_against_themselves(task: str) -> None:
    pytest.importorskip("reasoning_gym")
    made = list(islice(reasoning_gym(gym(task), 3), 20))
    assert len(made) == 20
    assert [gold_problem(str(e.answer), str(e.kind)) for e in made] == [None] * 20


def test_the_stream_depends_on_the_seed_and_evaluation_on_none() -> None:
    pytest.importorskip("reasoning_gym")
    assert questions(gym(), 1, 30) == questions(gym(), 1, 30)
    assert questions(gym(), 1, 30) != questions(gym(), 2, 30)
    assert not set(questions(gym(split="test"), 0, 30)) & set(questions(gym(), 0, 30))


def test_the_stream_goes_on_after_the_first_block() -> None:
    pytest.importorskip("reasoning_gym")
    many = questions(gym(), 0, GYM_BLOCK + 50)
    assert len(many) == GYM_BLOCK + 50
    assert many[GYM_BLOCK:] != many[:50]


@pytest.mark.parametrize("task", ["coin_flip", "chain_summ", ""])
def test_a_task_that_equality_cannot_verify_is_refused_with_a_near_one(task: str) -> None:
    with pytest.raises(Refused, match="equality can verify") as refusal:
        next(reasoning_gym(gym(task), 0))
    assert refusal.value.problems[0].fix.startswith("dataset.eval.options.task=")


def test_a_generated_source_without_an_end_is_refused() -> None:
    with pytest.raises(Refused, match="no end"):
        next(reasoning_gym(gym(take=None), 0))
