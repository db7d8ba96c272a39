"""Seconds until `exp.train --help` and `exp.train --cfg job` answer, with `trl grpo --help` beside them."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMANDS = {
    "help_s": [sys.executable, "-m", "exp.train", "--help"],
    "cfg_s": [sys.executable, "-m", "exp.train", "--cfg", "job"],
    "trl_help_s": [str(Path(sys.executable).with_name("trl")), "grpo", "--help"],
}


def seconds(command: list[str], folder: str) -> float:
    """Wall-clock seconds of one run in `folder`. Raises `CalledProcessError` if the command fails."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="runs of each command; the median counts")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS.values():
            seconds(command, folder)  # The first run reads the files from disk.
        # In turn, so that a busy moment of the machine meets all of them.
        taken = [{name: seconds(command, folder) for name, command in COMMANDS.items()} for _ in range(rounds)]
    print(json.dumps({name: round(statistics.median(t[name] for t in taken), 3) for name in COMMANDS}))


if __name__ == "__main__":
    main()
