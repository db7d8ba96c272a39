"""Stopping cleanly: a signal sets a flag, the stage saves at the next safe point, a second Ctrl-C stops at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)


class Interrupted(Exception):
    """The stage saved its state and stopped because a signal asked for it."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)

    @property
    def exit_code(self) -> int:
        """130 after Ctrl-C, 75 ("please requeue") after a signal of the scheduler."""
        return 130 if self.number == signal.SIGINT else 75


class Stopper:
    """Whether a signal has asked this process to stop."""

    def __init__(self, say: Callable[[str], None] = lambda text: None) -> None:
        self.number = 0
        self.say = say

    def check(self) -> None:
        """Raise `Interrupted` if a stop was asked for; call it where everything so far is on disk."""
        if self.number:
            raise Interrupted(self.number)

    @contextmanager
    def listening(self) -> Iterator[Stopper]:
        """Handle the signals while the block runs."""
        previous = {number: signal.signal(number, self._asked) for number in SIGNALS}
        try:
            yield self
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.number and number == signal.SIGINT:
            raise KeyboardInterrupt
        if not self.number:
            self.say(f"{signal.Signals(number).name}: stopping at the next safe point (Ctrl-C again stops at once)")
        self.number = number
