"""Small runs shared by the tests of the stages."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.stages.small_run import Outputs


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Outputs:
    """One undisturbed small run, which tests look at and must not change."""
    outputs = Outputs(tmp_path_factory.mktemp("finished"))
    outputs.run()
    return outputs


@pytest.fixture
def outputs(tmp_path: Path) -> Outputs:
    """An empty outputs folder."""
    return Outputs(tmp_path / "outputs")


@pytest.fixture
def copied(finished: Outputs, tmp_path: Path) -> Callable[..., Outputs]:
    """A copy of the finished outputs that a test may change; `without` names stages to leave out of the store."""

    def copy(without: Sequence[str] = ()) -> Outputs:
        folder = tmp_path / "copied"
        shutil.copytree(finished.folder, folder, symlinks=True)
        for stage in without:
            shutil.rmtree(folder / "store" / stage)
        return Outputs(folder)

    return copy
