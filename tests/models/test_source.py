"""Finding a base model before anything is loaded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from exp.config.compose import compose_point
from exp.config.model import Model
from exp.errors import Refused
from exp.models.source import EMBEDDED, find_base, require_available


def model(*words: str) -> Model:
    return compose_point(words).model


def test_the_embedded_model_is_known_by_its_content(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(EMBEDDED["embedded:tiny"], copy)
    embedded = find_base(model())
    assert find_base(model(f"model.path={copy}")).identity == embedded.identity
    config = copy / "config.json"
    config.write_text(config.read_text().replace("rope_theta", "rope_phi"))
    assert find_base(model(f"model.path={copy}")).identity != embedded.identity


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ([], "no config.json"),
        (["config.json"], "no .safetensors"),
        (["config.json", "pytorch_model.bin"], "no .safetensors"),
    ],
)
def test_a_folder_without_a_loadable_model_is_refused(files: list[str], says: str, tmp_path: Path) -> None:
    for name in files:
        (tmp_path / name).write_text("{}")
    with pytest.raises(Refused, match=says):
        find_base(model(f"model.path={tmp_path}"))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="nowhere"):
        find_base(model(f"model.path={tmp_path}/nowhere"))


def test_a_package_that_is_not_installed_leaves_the_hub() -> None:
    source = find_base(model("model=smollm2_135m", "model.package=no_such_package_here"))
    assert (source.location, source.revision) == ("HuggingFaceTB/SmolLM2-135M-Instruct", "main")


def test_a_hub_model_that_cannot_be_had_is_refused_with_every_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", "/nonexistent")
    with pytest.raises(Refused) as refused:
        require_available(find_base(model("model=qwen8b")))
    (problem,) = refused.value.problems
    assert "Qwen/Qwen3-8B" in problem.what
    assert all(way in problem.fix for way in ("model.path", "HF_HOME", "HF_TOKEN"))


def test_a_local_model_never_asks_the_hub() -> None:
    require_available(find_base(model()))
