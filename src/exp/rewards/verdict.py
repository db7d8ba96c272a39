"""What a verifier says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """The outcome of one completion."""

    RIGHT = "right"
    WRONG = "wrong"
    NO_ANSWER = "no answer"
    UNPARSEABLE = "unparseable"
    CUT_OFF = "cut off"
    TIMEOUT = "timeout"


@dataclass(frozen=True)
class Verification:
    """A verdict on one answer, its reason in plain words, and a score in [0, 1]: 1, 0 or the kind's partial credit."""

    verdict: Verdict
    reason: str
    score: float


def right(reason: str) -> Verification:
    """Full marks."""
    return Verification(Verdict.RIGHT, reason, 1.0)


def wrong(reason: str, score: float = 0.0) -> Verification:
    """Not right; `score` is the kind's partial credit."""
    return Verification(Verdict.WRONG, reason, score)


def unparseable(reason: str) -> Verification:
    """The answer cannot be read as this kind of answer."""
    return Verification(Verdict.UNPARSEABLE, reason, 0.0)
