"""Handing a model from one stage to the next, with the real libraries on the embedded model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from exp.config.compose import compose_point
from exp.config.contracts import Lora
from exp.config.point import Point
from exp.errors import Refused
from exp.models.load import check_architecture, load_base
from exp.models.policy import Policy, hand_off, load_policy, new_adapter, read_policy, save_policy
from exp.models.proofs import (
    divergence,
    probe,
    require_adapter_matters,
    require_same,
    require_saved,
    require_trainable,
)
from exp.models.source import find_base

IDS = [5, 17, 40, 41, 7, 99, 12, 30, 31, 8]


@pytest.fixture(scope="module")
def point() -> Point:
    return compose_point(["lora.rank=4"])


def trained(point: Point, start: Policy) -> Any:
    """A policy with an adapter whose update is not zero."""
    model = load_policy(start, point.model, point.backend, trainable=True)
    if not start.adapter:
        model = new_adapter(model, point.lora, seed=0)
    torch.manual_seed(1)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "lora_B" in name:
                weights.add_(torch.randn_like(weights) * 0.1)
    return model


@pytest.fixture(scope="module")
def saved(point: Point, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A folder with a saved policy, and the probe of the model that was saved."""
    folder = tmp_path_factory.mktemp("store") / "sft" / "0123"
    folder.mkdir(parents=True)
    start = Policy(find_base(point.model))
    model = trained(point, start)
    save_policy(model, start, folder, {"rank": 4, "probe": probe(model, IDS)})
    require_saved(model, folder / "adapter")
    return folder, probe(model, IDS)


def test_what_was_saved_is_what_is_loaded(point: Point, saved: tuple[Path, Any]) -> None:
    folder, before = saved
    policy = read_policy(folder, find_base(point.model))
    assert policy.rank == 4
    loaded = load_policy(policy, point.model, point.backend)
    assert probe(loaded, IDS) == before
    assert divergence(before, probe(load_base(policy.base, point.model, point.backend), IDS)) > 0


def test_only_safetensors_are_written(saved: tuple[Path, Any]) -> None:
    suffixes = {file.suffix for file in saved[0].rglob("*") if file.is_file()}
    assert ".safetensors" in suffixes
    assert not suffixes & {".bin", ".pt", ".pth", ".pkl"}


def test_an_adapter_loaded_to_be_trained_can_be_trained(point: Point, saved: tuple[Path, Any]) -> None:
    policy = read_policy(saved[0], find_base(point.model))
    assert require_trainable(load_policy(policy, point.model, point.backend, trainable=True)) > 0
    with pytest.raises(Refused, match="no trainable parameters"):
        frozen = load_policy(policy, point.model, point.backend, trainable=False)
        for weights in frozen.parameters():
            weights.requires_grad_(False)
        require_trainable(frozen)


def test_merging_keeps_the_policy_and_makes_room_for_a_new_adapter(point: Point, saved: tuple[Path, Any]) -> None:
    folder, before = saved
    start = hand_off(read_policy(folder, find_base(point.model)), Lora(rank=8), merge=True)
    assert start.adapter is None and start.merged == (folder / "adapter",)
    model = load_policy(start, point.model, point.backend)
    require_same(before, probe(model, IDS), 1e-6, "merged")
    fresh = new_adapter(model, Lora(rank=8), seed=0)
    require_same(before, probe(fresh, IDS), 1e-6, "with a new adapter, which starts at zero")
    with pytest.raises(Refused, match="does not change"):
        require_adapter_matters(fresh, IDS)


def test_a_policy_on_a_merged_one_loads_again_from_another_place(
    point: Point, saved: tuple[Path, Any], tmp_path: Path
) -> None:
    import shutil

    folder, _ = saved
    base = find_base(point.model)
    start = hand_off(read_policy(folder, base), Lora(rank=4), merge=True)
    model = trained(point, start)
    second = folder.parents[1] / "grpo" / "4567"
    second.mkdir(parents=True)
    save_policy(model, start, second, {"rank": 4})
    moved = tmp_path / "moved"
    shutil.move(folder.parents[1], moved)
    try:
        again = load_policy(read_policy(moved / "grpo" / "4567", base), point.model, point.backend)
        assert probe(again, IDS) == probe(model, IDS)
    finally:
        shutil.move(moved, folder.parents[1])


def test_another_rank_is_refused_with_both_ways_out(point: Point, saved: tuple[Path, Any]) -> None:
    policy = read_policy(saved[0], find_base(point.model))
    with pytest.raises(Refused) as refused:
        hand_off(policy, Lora(rank=8), merge=False)
    assert "lora.rank=4" in refused.value.problems[0].fix
    assert "grpo.merge_adapter=true" in refused.value.problems[0].fix
    assert hand_off(policy, Lora(rank=4), merge=False) is policy


def test_a_changed_tensor_on_disk_is_found(point: Point, tmp_path: Path) -> None:
    start = Policy(find_base(point.model))
    model = trained(point, start)
    save_policy(model, start, tmp_path, {"rank": 4})
    with torch.no_grad():
        next(w for n, w in model.named_parameters() if "lora_B" in n).add_(1e-3)
    with pytest.raises(Refused, match="is not what was trained"):
        require_saved(model, tmp_path / "adapter")


def test_sizes_that_planning_used_must_be_those_of_the_weights(point: Point) -> None:
    base = find_base(point.model)
    wrong = point.model.model_copy(
        update={"architecture": point.model.architecture.model_copy(update={"num_layers": 3, "vocab_size": 500})}
    )
    with pytest.raises(Refused) as refused:
        load_base(base, wrong, point.backend)
    assert {p.where for p in refused.value.problems} == {
        "model.architecture.num_layers",
        "model.architecture.vocab_size",
    }
    assert "model.architecture.num_layers=2" in {p.fix for p in refused.value.problems}
    check_architecture(point.model.architecture, load_base(base, point.model, point.backend).config)


@given(st.lists(st.floats(-8, 8), min_size=3, max_size=12), st.data())
def test_divergence_is_zero_only_between_equals_and_never_negative(logits: list[float], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.floats(-8, 8), min_size=len(logits), max_size=len(logits)))
    p, q = ([{str(i): float(v) for i, v in enumerate(torch.log_softmax(torch.tensor(x), 0))}] for x in (logits, other))
    assert divergence(p, p) == pytest.approx(0, abs=1e-9)
    assert divergence(p, q) >= -1e-5
