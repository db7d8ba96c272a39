"""What a reward pays for completions that nobody has generated, and which of its components pays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from exp.config.contracts import Format
from exp.config.evaluation import Reward
from exp.errors import refuse
from exp.rewards.judge import Completion, Judged, Verdict, judge
from exp.rewards.library import Batch, score

CHARACTERS_PER_TOKEN = 4  # no tokenizer is loaded; rewards of length need an estimate


@dataclass(frozen=True)
class Paid:
    """One completion, how it was judged, and what each component paid for it, weights included."""

    row: Mapping[str, Any]
    completion: Completion
    judged: Judged
    components: dict[str, float]

    @property
    def pay(self) -> float:
        """The reward: the sum of the components."""
        return sum(self.components.values())


class Grader:
    """What the reward pays under one format."""

    def __init__(self, fmt: Format, reward: Reward, opened: bool) -> None:
        self._fmt = fmt
        self._reward = reward
        self._opened = opened

    def pay(
        self,
        what: str,
        rows: Sequence[Mapping[str, Any]],
        completions: Sequence[Completion],
        as_if: Verdict | None = None,
    ) -> list[Paid]:
        """The pay of each completion. With `as_if`, of one that had this verdict and a perfect form."""
        written = [self._after_prompt(completion) for completion in completions]
        golds = [row["gold"] for row in rows]
        judged = judge(written, golds, [self._reward.verifier or row["kind"] for row in rows], self._fmt)
        if as_if is not None:
            judged = [Judged(as_if, j.extracted, "", True, (), float(as_if is Verdict.RIGHT)) for j in judged]
        try:
            scores = score(Batch(written, judged, golds, [dict(row) for row in rows]), self._reward)
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
            # A user's function that a completion can break would end the training run the same way.
            raise refuse(f"it fails on {what}: {type(error).__name__}: {error}", "reward.components") from error
        weights = {name: component.weight for name, component in self._reward.components.items()}
        paid = [{name: weights[name] * (values[i] or 0.0) for name, values in scores.items()} for i in range(len(rows))]
        return [Paid(*one) for one in zip(rows, written, judged, paid, strict=True)]

    def _after_prompt(self, completion: Completion) -> Completion:
        """As the model would write it: without the opening tag if the prompt ends with it."""
        text = completion.text.removeprefix(self._fmt.reasoning_open) if self._opened else completion.text
        tokens = max(1, len(text) // CHARACTERS_PER_TOKEN)
        return replace(completion, text=text, opened=self._opened, num_tokens=tokens)


def mean_pay(paid: Sequence[Paid]) -> float:
    """The mean reward; 0 for none."""
    return math.fsum(one.pay for one in paid) / len(paid) if paid else 0.0
