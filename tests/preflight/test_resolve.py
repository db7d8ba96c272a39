"""Before anything runs, everything a run needs is found: weights, data, the model that GRPO starts from."""

from __future__ import annotations

from pathlib import Path

import pytest

from exp.config.compose import compose_point
from exp.errors import Refused
from exp.models.source import Source
from exp.preflight.resolve import plan_from, resolve


def make_model(folder: Path) -> Path:
    """A folder that looks like a model until something loads it."""
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_text("weights")
    return folder


def refusal(*words: str) -> str:
    with pytest.raises(Refused) as refused:
        resolve(compose_point(words))
    return str(refused.value)


def test_the_embedded_model_needs_nothing() -> None:
    base, steps = resolve(compose_point([]))
    assert base.revision is None
    assert [step.name for step in steps if step.stage != "data"] == [
        "eval:base",
        "sft",
        "eval:sft",
        "grpo",
        "eval:grpo",
    ]


def test_a_local_model_is_known_by_its_content(tmp_path: Path) -> None:
    one, other = make_model(tmp_path / "one"), make_model(tmp_path / "other")
    first, second = (resolve(compose_point([f"model.path={folder}"]))[0] for folder in (one, other))
    assert first.identity == second.identity
    assert first.location != second.location
    (other / "model.safetensors").write_text("other weights")
    assert resolve(compose_point([f"model.path={other}"]))[0].identity != first.identity


def test_a_folder_that_is_missing_or_holds_no_model_is_refused_before_any_work(tmp_path: Path) -> None:
    assert "there is no folder" in refusal("model.path=nowhere/at/all")
    assert "no config.json" in refusal(f"model.path={tmp_path}")
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_text("pickle")
    assert "no .safetensors weights" in refusal(f"model.path={tmp_path}")


def test_a_hub_model_that_cannot_be_had_says_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    words = refusal("model=qwen8b", "reward=strict")
    assert "Qwen/Qwen3-8B" in words
    assert all(name in words for name in ("model.path=", "HF_HOME", "HF_TOKEN"))


def test_a_hub_model_in_the_cache_needs_no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--Qwen--Qwen3-8B"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("c0ffee")
    (repository / "snapshots" / "c0ffee").mkdir(parents=True)
    (repository / "snapshots" / "c0ffee" / "config.json").write_text("{}")
    base, steps = resolve(compose_point(["model=qwen8b", "reward=strict", "dataset=addition"]))
    assert (base.location, base.identity) == ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B@main")
    assert steps


def test_another_revision_is_another_model() -> None:
    from exp.models.source import find_base

    found = [find_base(compose_point(["model=qwen06b", f"model.revision={r}"]).model) for r in ("main", "abc")]
    assert found[0].identity != found[1].identity


def test_grpo_that_starts_from_nothing_is_refused(tmp_path: Path) -> None:
    words = [f"outputs={tmp_path}", "sft=none", "grpo.start_from=nothing"]
    with pytest.raises(Refused, match="no finished model is called 'nothing'"):
        plan_from(compose_point(words), Source("base", "0123"))
    assert plan_from(compose_point([*words, "grpo=none"]), Source("base", "0123"))
