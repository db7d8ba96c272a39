"""A command run as a child that hears the signals meant for its parent, once each."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from types import FrameType

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)


def run_child(command: Sequence[str]) -> int:
    """Run the command to its end and return its exit status; signals are passed on to it.

    The child has a process group of its own: a terminal would otherwise send it Ctrl-C too, and it would hear it twice.
    """
    process = subprocess.Popen(command, process_group=0)

    def forward(number: int, frame: FrameType | None) -> None:
        process.send_signal(number)

    previous = {number: signal.signal(number, forward) for number in FORWARDED}
    try:
        return process.wait()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
