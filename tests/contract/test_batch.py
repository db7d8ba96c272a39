"""The batch contract: an accepted batch splits exactly, and every proposed change is itself accepted."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from exp.contract.batch import batch_problems, split_batch

SIZES, DEVICES, GROUPS = st.integers(1, 600), st.integers(1, 16), st.integers(1, 32)


@given(SIZES, st.integers(1, 64), DEVICES, GROUPS)
def test_an_accepted_batch_is_split_without_rest(effective: int, micro: int, world_size: int, group: int) -> None:
    assume(not batch_problems("grpo", effective, world_size, group))
    batch = split_batch(effective, micro, world_size, group)
    assert batch.micro * batch.accumulation * batch.world_size == batch.effective == effective
    assert batch.prompts * group == effective
    assert 1 <= batch.micro <= micro


@given(SIZES, st.integers(1, 64), DEVICES)
def test_the_micro_batch_is_the_largest_that_fits(effective: int, micro: int, world_size: int) -> None:
    assume(not batch_problems("sft", effective, world_size))
    share = effective // world_size
    larger = range(split_batch(effective, micro, world_size).micro + 1, micro + 1)
    assert all(share % size for size in larger)


@given(SIZES, DEVICES, GROUPS)
def test_a_batch_is_refused_exactly_if_groups_or_devices_do_not_divide_it(size: int, devices: int, group: int) -> None:
    assert bool(batch_problems("grpo", size, devices, group)) == bool(size % devices or size % group)


@given(SIZES, DEVICES, st.integers(2, 32))
def test_every_proposed_change_is_accepted(effective: int, world_size: int, num_generations: int) -> None:
    found = batch_problems("grpo", effective, world_size, num_generations)
    assume(found)
    (problem,) = found
    for word in problem.fix.split(", or "):
        key, _, value = word.partition("=")
        if key == "grpo.batch_size":
            assert not batch_problems("grpo", int(value), world_size, num_generations)
        else:
            assert key == "generations.num_generations"
            assert int(value) >= 2
            assert not batch_problems("grpo", effective, world_size, int(value))


@given(SIZES, DEVICES, GROUPS)
def test_the_proposed_size_is_the_nearest_that_fits(effective: int, world_size: int, group: int) -> None:
    found = batch_problems("grpo", effective, world_size, group)
    assume(found)
    proposed = int(found[0].fix.rpartition("grpo.batch_size=")[2])
    nearer = range(max(1, effective - abs(proposed - effective) + 1), effective + abs(proposed - effective))
    assert all(batch_problems("grpo", size, world_size, group) for size in nearer)


def test_sixteen_completions_in_groups_of_three_are_met_with_two_and_four() -> None:
    (problem,) = batch_problems("grpo", 16, 1, 3)
    assert problem.what == "16 completions per step cannot be split into groups of 3"
    assert problem.fix == "generations.num_generations=2, or generations.num_generations=4, or grpo.batch_size=15"


def test_a_batch_that_devices_cannot_share_is_met_with_the_nearest_size() -> None:
    (problem,) = batch_problems("sft", 30, 4)
    assert problem.where == "sft.batch_size"
    assert problem.fix == "sft.batch_size=28"


@pytest.mark.parametrize(("effective", "group", "prompts"), [(64, 8, 8), (64, 16, 4), (6, 2, 3)])
def test_a_grpo_step_sees_whole_groups(effective: int, group: int, prompts: int) -> None:
    batch = split_batch(effective, 4, 1, group)
    assert batch.prompts == prompts
    assert batch.as_dict()["effective"] == effective
