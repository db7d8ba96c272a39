"""Traces rewritten from one format's tags into another's, with proof that nothing but the tags has changed."""

from __future__ import annotations

from dataclasses import dataclass

from exp.config.contracts import Format
from exp.contract.format import parse, render
from exp.data.examples import Unusable


@dataclass(frozen=True)
class Trace:
    """A completion taken apart: both bodies without tags."""

    reasoning: str
    answer: str


def read_trace(text: str, fmt: Format) -> Trace:
    """Reasoning and answer of a completion in `fmt`. Raises `Unusable` with all that is wrong with its form."""
    parsed = parse(text, fmt)
    if not parsed.well_formed or parsed.reasoning is None or parsed.answer is None:
        raise Unusable("trace is not in the source's format", "; ".join(parsed.problems))
    return Trace(parsed.reasoning, parsed.answer)


def write_trace(trace: Trace, fmt: Format, *, opened: bool = False) -> str:
    """The completion of `trace` in `fmt`; reading it back gives `trace` again, else `Unusable` is raised.

    `opened`: the chat template writes the opening reasoning tag, so the completion starts after it.
    """
    try:
        text = render(trace.reasoning, trace.answer, fmt, opened=opened)
    except ValueError as error:
        raise Unusable("trace cannot be written in the run's format", str(error)) from error
    parsed = parse(text, fmt, opened=opened)
    same = (parsed.reasoning, parsed.answer) == (trace.reasoning.strip(), trace.answer.strip())
    if not parsed.well_formed or not same:
        why = "; ".join(parsed.problems) or "it reads back differently"
        raise Unusable("trace cannot be written in the run's format", why)
    return text


def retag(text: str, source: Format, target: Format, *, opened: bool = False) -> str:
    """`text` with the tags of `source` replaced by those of `target`. Raises `Unusable` if that loses anything."""
    return write_trace(read_trace(text, source), target, opened=opened)
