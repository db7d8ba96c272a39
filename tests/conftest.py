"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The checkout's folder."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real benchmark files, $EXP_SHARED/data; the test is skipped where it is not at hand."""
    shared = os.environ.get("EXP_SHARED")
    if not shared:
        pytest.skip("EXP_SHARED is not set; it names the folder that holds data/ with the real benchmark files")
    data = Path(shared) / "data"
    if not data.is_dir():
        pytest.skip(f"EXP_SHARED is {shared}, which has no folder data/")
    return data
