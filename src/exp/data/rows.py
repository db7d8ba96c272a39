"""From an example to a row for SFT or RL, or the reason why it cannot be one."""

from __future__ import annotations

import re

from exp.config.contracts import Format
from exp.config.dataset import Source
from exp.contract.format import parse
from exp.data.examples import Example, RLRow, SFTRow, Unusable
from exp.data.retag import Trace, read_trace, write_trace
from exp.rewards.verdict import Verdict
from exp.rewards.verify import gold_problem, verify

WHOLE = re.compile(r"[+-]?\d+")


def sft_row(example: Example, source: Source, fmt: Format, *, opened: bool) -> SFTRow:
    """The example's trace in the run's format.

    Raises `Unusable` if there is no trace, if it cannot be rewritten faithfully, or if it arrives at another answer
    than the one the source gives for the question.
    """
    trace = _trace_of(example, source.format or fmt)
    kind = kind_of(example, source, example.answer or trace.answer)
    gold = example.answer
    if gold is not None and gold != trace.answer and verify(trace.answer, gold, kind).verdict is not Verdict.RIGHT:
        raise Unusable("trace contradicts the answer", f"it says {trace.answer!r}, the source {gold!r}")
    completion = write_trace(trace, fmt, opened=opened)
    return SFTRow(example.id, example.question, trace.answer, kind, example.history, completion)


def rl_row(example: Example, source: Source, fmt: Format) -> RLRow:
    """The example's question and gold. Raises `Unusable` if there is no gold or it does not verify against itself."""
    gold = example.answer
    if gold is None and example.completion is not None:
        gold = parse(example.completion, source.format or fmt).answer
    if gold is None or not gold.strip():
        raise Unusable("no answer to verify against", "neither a column `answer` nor one in the tags of a completion")
    kind = kind_of(example, source, gold)
    if problem := gold_problem(gold, kind):
        raise Unusable("answer does not verify against itself", f"{gold!r}: {problem}")
    return RLRow(example.id, example.question, gold, kind, example.history, example.subject, example.type)


def kind_of(example: Example, source: Source, answer: str) -> str:
    """How the answer is verified: what the configuration says, else the row, else as a whole number or mathematics.

    A plain whole number is not left to mathematics, for which the copied sum `18+73` is as good as 91.
    """
    return source.kind or example.kind or ("integer" if WHOLE.fullmatch(answer.strip()) else "math")


def _trace_of(example: Example, fmt: Format) -> Trace:
    if example.completion is not None:
        return read_trace(example.completion, fmt)
    if not example.reasoning or not example.reasoning.strip():
        raise Unusable("no reasoning trace", "SFT imitates traces; a question with an answer alone can feed GRPO")
    if not example.answer or not example.answer.strip():
        raise Unusable("no answer at the end of the trace")
    return Trace(example.reasoning.strip(), example.answer.strip())
