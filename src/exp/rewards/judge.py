"""From completions to verdicts: the format's parser extracts, the question's verifier compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exp.config.contracts import Format
from exp.contract.format import parse
from exp.rewards.verdict import Verdict
from exp.rewards.verify import verify

__all__ = ["Completion", "Judged", "Verdict", "judge"]


@dataclass(frozen=True)
class Completion:
    """What a model wrote. `ended`: up to its stop token; `opened`: the prompt ends with the opening reasoning tag."""

    text: str
    ended: bool = True
    opened: bool = False
    num_tokens: int = 0


@dataclass(frozen=True)
class Judged:
    """A completion's verdict with what it rests on.

    `verdict` and `well_formed` are separate facts: a right answer in the tags of a malformed completion is right.
    `score` is 1 or 0, or the partial credit of kinds that have one.
    """

    verdict: Verdict
    extracted: str | None
    reason: str
    well_formed: bool
    problems: tuple[str, ...]
    score: float


def judge(completions: Sequence[Completion], golds: Sequence[str], kinds: Sequence[str], fmt: Format) -> list[Judged]:
    """Judge each completion against the gold answer at its position, compared as the kind at its position.

    Extraction is the format's own: only an answer inside its marks counts. Raises `Refused` for an unknown kind and
    `ValueError` if the three sequences differ in length.
    """
    return [_judge(c, gold, kind, fmt) for c, gold, kind in zip(completions, golds, kinds, strict=True)]


def _judge(completion: Completion, gold: str, kind: str, fmt: Format) -> Judged:
    parsed = parse(completion.text, fmt, opened=completion.opened, ended=completion.ended)
    if parsed.answer is None:
        verdict = Verdict.NO_ANSWER if completion.ended else Verdict.CUT_OFF
        return Judged(verdict, None, "; ".join(parsed.problems), False, parsed.problems, 0.0)
    found = verify(parsed.answer, gold, kind)
    return Judged(found.verdict, parsed.answer, found.reason, parsed.well_formed, parsed.problems, found.score)
