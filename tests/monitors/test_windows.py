"""Windows, and intervals that hold what they promise."""

from __future__ import annotations

import random

from exp.monitors.windows import GROUPS, Lasting, Windows, change_of_mean, change_of_share


def filled(steps: int, per_step: int, upto: int) -> Windows[int]:
    windows: Windows[int] = Windows(steps)
    for step in range(1, upto + 1):
        windows.add(step, [step] * per_step)
    return windows


def test_a_window_holds_its_steps_and_its_groups_whichever_are_more() -> None:
    many = filled(steps=10, per_step=16, upto=40)
    assert (set(many.first), set(many.last)) == (set(range(1, 11)), set(range(31, 41)))
    few = filled(steps=3, per_step=2, upto=100)
    assert len(few.first) == len(few.last) == GROUPS


def test_windows_are_apart_once_they_share_no_step() -> None:
    assert not filled(steps=10, per_step=16, upto=9).ready
    assert filled(steps=10, per_step=16, upto=10).ready
    assert not filled(steps=10, per_step=16, upto=19).apart
    assert filled(steps=10, per_step=16, upto=20).apart


def test_only_a_condition_without_a_break_lasts() -> None:
    lasting = Lasting(3)
    assert [lasting.holds(c, n) for n, c in enumerate([1, 1, 0, 1, 1, 1, 1])] == [False] * 6 + [True]


def test_two_windows_without_variation_are_not_taken_for_certain() -> None:
    change = change_of_share([0.0] * 3, [1.0] * 3, z=4.0)
    assert change.low < 0 < change.difference


def test_intervals_cover_the_difference_about_as_often_as_they_say() -> None:
    rng = random.Random(1)
    covered = 0
    for _ in range(500):
        before, after = ([sum(rng.random() < p for _ in range(8)) / 8 for _ in range(48)] for p in (0.3, 0.5))
        shares, means = change_of_share(before, after, 2.0), change_of_mean(before, after, 2.0)
        covered += (shares.low <= 0.2 <= shares.high) + (means.low <= 0.2 <= means.high)
    assert 0.92 < covered / 1000 < 0.98
