"""The pins of pyproject.toml and the two lock files are one set of versions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

# Which optional dependencies each lock covers beside the project's own.
EXTRAS = {"cpu.lock": ("dev", "tasks", "eval"), "gpu.lock": ("gpu",)}


def canonical(name: str) -> str:
    """The name as PEP 503 normalises it, without extras."""
    return re.sub(r"[-_.]+", "-", name.split("[")[0].strip()).lower()


def pinned(lines: list[str]) -> dict[str, str]:
    """name → version; a line that is not an exact pin is an error."""
    pins = {}
    for line in lines:
        match = re.fullmatch(r"([A-Za-z0-9._-]+(?:\[[a-z0-9,_-]+\])?)==([A-Za-z0-9.!]+)", line)
        assert match, f"not an exact pin: {line!r}"
        pins[canonical(match[1])] = match[2]
    return pins


def direct(repo_root: Path, *extras: str) -> dict[str, str]:
    project = tomllib.loads((repo_root / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [line for extra in extras for line in project["optional-dependencies"][extra]]
    return pinned([*project["dependencies"], *lines])


def locked(repo_root: Path, name: str) -> dict[str, str]:
    return pinned((repo_root / "requirements" / name).read_text("utf-8").splitlines())


@pytest.mark.parametrize("lock", EXTRAS)
def test_a_lock_holds_every_direct_dependency_at_its_pinned_version(repo_root: Path, lock: str) -> None:
    pins = direct(repo_root, *EXTRAS[lock])
    versions = locked(repo_root, lock)
    assert {name: versions.get(name) for name in pins} == pins


def test_every_extra_is_locked_somewhere(repo_root: Path) -> None:
    project = tomllib.loads((repo_root / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(project["optional-dependencies"]) == {extra for extras in EXTRAS.values() for extra in extras}


def test_the_two_locks_agree_wherever_both_name_a_package(repo_root: Path) -> None:
    cpu, gpu = locked(repo_root, "cpu.lock"), locked(repo_root, "gpu.lock")
    both = cpu.keys() & gpu.keys()
    assert len(both) > 50
    assert {name: cpu[name] for name in both} == {name: gpu[name] for name in both}


def test_the_cpu_lock_constrains_no_cuda_library(repo_root: Path) -> None:
    """As pip constraints it must fit torch's CPU build and its CUDA build, which pins its own libraries."""
    cuda = [n for n in locked(repo_root, "cpu.lock") if n.startswith(("nvidia-", "cuda-")) or n == "triton"]
    assert cuda == []
