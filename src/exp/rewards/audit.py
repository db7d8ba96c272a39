"""What a reward pays before anybody trains on it: for golds, for wrong answers, and for every attack.

Pure: rows in, pay out. Nothing is generated and no tokenizer is loaded; lengths are estimated from the characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from exp.config.contracts import Format
from exp.config.evaluation import Reward
from exp.errors import Problem, refuse
from exp.rewards.attacks import ATTACKS, Attack, Holds, Row, credit, in_form, wrong_answers
from exp.rewards.judge import Completion, Judged, Verdict, judge
from exp.rewards.library import Batch, score

HALF = 0.5  # share of the maximum from which on a pay is no crumb
TOLERATED = 0.02  # share of the rows, or of the maximum, that may be an accident
QUICK_ROWS = 50
CHARACTERS_PER_TOKEN = 4


class Safety(StrEnum):
    """The verdict on one attack."""

    SAFE = "safe"
    FORM = "pays for form"
    PAYS = "pays"


@dataclass(frozen=True)
class Paid:
    """One completion, how it was judged, and what each component paid for it, weights included."""

    row: Row
    completion: Completion
    judged: Judged
    components: dict[str, float]

    @property
    def pay(self) -> float:
        """The reward: the sum of the components."""
        return sum(self.components.values())


@dataclass(frozen=True)
class Checked:
    """Completions whose pay is known beforehand, and those that got another one."""

    rows: int
    pay: float
    highest: float
    failing: tuple[Paid, ...]

    @property
    def failing_share(self) -> float:
        """Share of the completions that were not paid as expected."""
        return len(self.failing) / self.rows


@dataclass(frozen=True)
class Attacked:
    """What an attack earned.

    `pay` is the mean over all rows, `share` the same as a share of the maximum. `luck` is the share of rows whose gold
    the attack hit without knowing it; `unearned` is the mean pay over the other rows, which decides about `verdict`.
    """

    name: str
    attack: Attack
    rows: int
    pay: float
    highest: float
    share: float
    luck: float
    unearned: float
    verdict: Safety
    example: Paid
    """The highest paid completion, of those that were not lucky where there are any."""


@dataclass(frozen=True)
class Audit:
    """The outcome. `maximum` is the most the reward pays for a right answer in perfect form."""

    rows: int
    maximum: float
    golds: Checked
    wrong: Checked
    attacks: tuple[Attacked, ...]

    def problems(self) -> list[Problem]:
        """What makes the reward unfit for training."""
        if self.maximum <= 0:
            return [_problem("it pays nothing for a right answer in perfect form", self.golds.failing)]
        found = []
        if self.golds.failing_share > TOLERATED:
            found.append(_problem(self._underpaid(), self.golds.failing))
        if self.wrong.pay >= HALF * self.maximum or self.wrong.failing_share > TOLERATED:
            found.append(_problem(self._overpaid(), self.wrong.failing, "reward=strict"))
        for attacked in self.attacks:
            if attacked.attack.holds is not Holds.ANSWER and attacked.unearned >= HALF * self.maximum:
                what = f"it pays {attacked.pay:.2f} of {self.maximum:.2f} for {_words(attacked)}"
                found.append(_problem(what, (attacked.example,), "reward=strict"))
        return found

    def warnings(self) -> list[Problem]:
        """What should be known before training."""
        if self.maximum <= 0:
            return []
        found = []
        if 0 < self.golds.failing_share <= TOLERATED:
            found.append(_problem(self._underpaid(), self.golds.failing))
        if 0 < self.wrong.failing_share <= TOLERATED:
            found.append(_problem(self._overpaid(), self.wrong.failing))
        found += [_problem(*warning) for warning in self._warned()]
        return found

    def _warned(self) -> Iterable[tuple[str, tuple[Paid, ...]]]:
        paid = [a for a in self.attacks if a.verdict is Safety.PAYS and a.attack.holds is not Holds.ANSWER]
        for attacked in paid:
            if attacked.unearned < HALF * self.maximum:
                yield f"it pays {attacked.pay:.2f} of {self.maximum:.2f} for {_words(attacked)}", (attacked.example,)
        for attacked in self.attacks:
            if attacked.luck >= HALF:
                yield f"{attacked.luck:.0%} of the rows have a gold that is hit by {_words(attacked)}", ()
        if form := [a for a in self.attacks if a.verdict is Safety.FORM]:
            most = max(a.unearned for a in form)
            yield f"the form alone earns up to {most:.2f} of {self.maximum:.2f}: {_names(form)}", ()
        if loose := [a for a in self.attacks if a.verdict is Safety.PAYS and a.attack.holds is Holds.ANSWER]:
            most = max(a.pay for a in loose)
            yield f"a right answer in broken form earns up to {most:.2f} of {self.maximum:.2f}: {_names(loose)}", ()

    def _underpaid(self) -> str:
        return f"{len(self.golds.failing)} of {self.golds.rows} golds do not get full marks in perfect form"

    def _overpaid(self) -> str:
        if self.wrong.failing:
            return f"{len(self.wrong.failing)} of {self.wrong.rows} wrong answers are paid more than for their form"
        return f"wrong answers in perfect form get {self.wrong.pay:.2f} of {self.maximum:.2f}"


def audit(rows: Sequence[Row], fmt: Format, reward: Reward, opened: bool = False) -> Audit:
    """Score golds, wrong answers and every attack on these rows.

    `opened`: the chat template writes the opening reasoning tag. Raises `Refused` if there is no row, or if one of the
    reward's functions fails on a completion.
    """
    if not rows:
        raise refuse("there is no row to audit the reward with", "dataset.rl")
    grader = _Grader(fmt, reward, opened)
    right = [in_form(row, str(row["gold"]), fmt) for row in rows]
    perfect = grader.pay(rows, right, as_if=Verdict.RIGHT)
    golds = grader.pay(rows, right)
    maximum = max(paid.pay for paid in (*perfect, *golds))
    wrong = _wrong(rows, fmt, grader)
    attacked = (_attack(name, rows, fmt, grader, maximum, wrong.pay) for name in ATTACKS)
    return Audit(
        len(rows), maximum, _golds(golds, perfect, maximum), wrong, tuple(one for one in attacked if one is not None)
    )


def quick_audit(rows: Sequence[Row], fmt: Format, reward: Reward, opened: bool) -> Audit:
    """The audit of 50 rows taken evenly from `rows`, for use inside a run."""
    return audit(rows[:: max(1, len(rows) // QUICK_ROWS)][:QUICK_ROWS], fmt, reward, opened)


class _Grader:
    """What the reward pays under one format."""

    def __init__(self, fmt: Format, reward: Reward, opened: bool) -> None:
        self._fmt = fmt
        self._reward = reward
        self._opened = opened

    def pay(
        self, rows: Sequence[Row], completions: Sequence[Completion], as_if: Verdict | None = None, what: str = ""
    ) -> list[Paid]:
        """The pay of each completion. With `as_if`, of one that had this verdict and a perfect form."""
        written = [self._after_prompt(completion) for completion in completions]
        golds = [str(row["gold"]) for row in rows]
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


def _golds(golds: list[Paid], perfect: list[Paid], maximum: float) -> Checked:
    full = [max(paid.pay, HALF * maximum) for paid in perfect]
    return _checked(golds, [paid for paid, wanted in zip(golds, full, strict=True) if paid.pay < wanted - 1e-9])


def _wrong(rows: Sequence[Row], fmt: Format, grader: _Grader) -> Checked:
    pairs = [(row, answer) for row in rows for answer in wrong_answers(row, rows)]
    asked, written = [row for row, _ in pairs], [in_form(row, answer, fmt) for row, answer in pairs]
    form = grader.pay(asked, written, as_if=Verdict.WRONG)
    paid = grader.pay(asked, written)
    return _checked(paid, [one for one, wanted in zip(paid, form, strict=True) if one.pay > wanted.pay + 1e-9])


def _checked(paid: list[Paid], failing: list[Paid]) -> Checked:
    return Checked(len(paid), _mean(paid), max(one.pay for one in paid), tuple(failing))


def _attack(
    name: str, rows: Sequence[Row], fmt: Format, grader: _Grader, maximum: float, wrong: float
) -> Attacked | None:
    attack = ATTACKS[name]
    written = [(row, completion) for row in rows if (completion := attack.write(row, fmt, rows)) is not None]
    if not written:
        return None
    paid = grader.pay([row for row, _ in written], [completion for _, completion in written], what=f"{name!r}")
    # A guess that hits is no defect of the reward; for attacks that hold the gold there is no luck.
    unlucky = [one for one in paid if attack.holds is not Holds.NOTHING or not _deserves(one)]
    unearned = _mean(unlucky)
    return Attacked(
        name=name,
        attack=attack,
        rows=len(paid),
        pay=_mean(paid),
        highest=max(one.pay for one in paid),
        share=_mean(paid) / maximum if maximum > 0 else 0.0,
        luck=1 - len(unlucky) / len(paid),
        unearned=unearned,
        verdict=_verdict(unearned, maximum, wrong),
        example=max(unlucky or paid, key=lambda one: one.pay),
    )


def _verdict(unearned: float, maximum: float, wrong: float) -> Safety:
    crumb = TOLERATED * max(maximum, 0.0)
    if unearned <= crumb:
        return Safety.SAFE
    if unearned >= HALF * maximum or unearned > wrong + crumb:
        return Safety.PAYS
    return Safety.FORM


def _deserves(paid: Paid) -> bool:
    answer = paid.judged.extracted
    return answer is not None and credit(answer, paid.row) > 0


def _mean(paid: Sequence[Paid]) -> float:
    return math.fsum(one.pay for one in paid) / len(paid) if paid else 0.0


def _words(attacked: Attacked) -> str:
    return f"`{attacked.name}` ({attacked.attack.description})"


def _names(attacks: Sequence[Attacked]) -> str:
    return ", ".join(one.name for one in attacks)


def _problem(what: str, examples: Sequence[Paid], fix: str = "") -> Problem:
    where = "reward"
    if examples:
        first = examples[0]
        payer = max(first.components, key=lambda name: abs(first.components[name]))
        where = f"reward.components.{payer}"
        what += f"; for example gold {str(first.row['gold'])[:60]!r}, extracted {_short(first.judged)}"
    return Problem(what, where, fix, "audit")


def _short(judged: Judged) -> str:
    extracted = "nothing" if judged.extracted is None else repr(judged.extracted[:60])
    reason = "; ".join(dict.fromkeys((judged.reason, *judged.problems)))
    return f"{extracted}: {judged.verdict}" + (f" ({reason[:120]})" if reason else "")
