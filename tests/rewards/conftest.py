"""What several tests of the rewards need."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def run_python() -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Run a program text in a fresh interpreter and return what it did."""

    def run(program: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "EXP_TEST_MARK": str(os.getpid())}
        return subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env=environment, check=False
        )

    return run
