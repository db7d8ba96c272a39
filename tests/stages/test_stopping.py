"""Signals: the first asks to stop at the next safe point, a second Ctrl-C stops at once."""

from __future__ import annotations

import os
import signal

import pytest

from exp.stages.stopping import SIGNALS, Interrupted, Stopper


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_stops_at_the_next_safe_point_and_not_before(number: signal.Signals) -> None:
    stopper = Stopper()
    with stopper.listening():
        stopper.check()
        os.kill(os.getpid(), number)
        with pytest.raises(Interrupted) as interrupted:
            stopper.check()
    assert str(interrupted.value) == number.name


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 75), (signal.SIGUSR1, 75)])
def test_the_exit_code_tells_a_person_from_a_scheduler(number: signal.Signals, code: int) -> None:
    assert Interrupted(number).exit_code == code


def test_a_second_ctrl_c_stops_at_once() -> None:
    with Stopper().listening(), pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)


def test_a_scheduler_that_repeats_itself_does_not_cut_the_saving_short() -> None:
    stopper = Stopper()
    with stopper.listening():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        assert stopper.number == signal.SIGTERM


def test_afterwards_signals_mean_what_they_meant_before() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with pytest.raises(RuntimeError), Stopper().listening():
        assert [signal.getsignal(number) for number in SIGNALS] != before
        raise RuntimeError
    assert [signal.getsignal(number) for number in SIGNALS] == before
