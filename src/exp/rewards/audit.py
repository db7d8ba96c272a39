"""What a reward pays before anybody trains on it: for golds, for wrong answers, and for every attack.

Pure: rows in, pay out. Nothing is generated and no tokenizer is loaded; lengths are estimated from the characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from exp.config.contracts import Format
from exp.config.evaluation import Reward
from exp.errors import Problem, refuse
from exp.rewards.attacks import ATTACKS, Attack, Holds, Row, credit, in_form, wrong_answers
from exp.rewards.judge import Judged, Verdict
from exp.rewards.pay import Grader, Paid, mean_pay

HALF = 0.5  # share of the maximum from which on a pay is no crumb
TOLERATED = 0.02  # share of the rows, or of the maximum, that may be an accident
QUICK_ROWS = 50
ROUNDING = 1e-9
UNDESERVED = {Holds.NOTHING: "without knowing the answer", Holds.TEXT: "for text that does not commit to the answer"}
"""Attacks that no reward may pay, and what they have in common."""


class Safety(StrEnum):
    """The verdict on one attack."""

    SAFE = "safe"
    FORM = "pays for form"
    PAYS = "pays"


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
    """The outcome. `maximum`: the most the reward pays for a right answer in perfect form; `form`: for the form alone.

    `remedy` is the override that takes away what makes this reward weak, "" if it is none of the shipped choices.
    """

    rows: int
    maximum: float
    form: float
    golds: Checked
    wrong: Checked
    attacks: tuple[Attacked, ...]
    remedy: str

    def problems(self) -> list[Problem]:
        """What makes the reward unfit for training."""
        if self.maximum <= 0:
            return [_problem("it pays nothing for a right answer in perfect form", self.golds.failing)]
        found = []
        if self.golds.failing_share > TOLERATED:
            found.append(_problem(self._underpaid(), self.golds.failing))
        if self.wrong.failing_share > TOLERATED:
            found.append(_problem(self._overpaid(), self.wrong.failing, self.remedy))
        elif self.wrong.pay >= HALF * self.maximum:
            what = f"wrong answers in perfect form get {self.wrong.pay:.2f} of {self.maximum:.2f}"
            found.append(_problem(what, (), self.remedy))
        for holds, words in UNDESERVED.items():
            if fooled := [a for a in self.attacks if a.attack.holds is holds and self._is_defect(a)]:
                found.append(_problem(self._pays(words, fooled), [a.example for a in fooled], self.remedy))
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
        by_verdict = {
            word: [a for a in self.attacks if a.verdict is word and not self._is_defect(a)] for word in Safety
        }
        if form := by_verdict[Safety.FORM]:
            found.append(_problem(self._pays("for form without a right answer", form), ()))
        for holds, words in (UNDESERVED | {Holds.ANSWER: "for a right answer in broken form"}).items():
            if paying := [a for a in by_verdict[Safety.PAYS] if a.attack.holds is holds]:
                found.append(_problem(self._pays(words, paying), [a.example for a in paying]))
        crumb = TOLERATED * self.maximum
        evading = [
            a for a in by_verdict[Safety.SAFE] if a.attack.holds in UNDESERVED and a.unearned > self.form + crumb
        ]
        if evading:
            found.append(_problem(self._pays(f"more than the {self.form:.2f} of an honest wrong answer", evading), ()))
        for attacked in self.attacks:
            if attacked.luck >= HALF:
                what = f"{attacked.luck:.0%} of the rows are answered without thought: {attacked.name}"
                found.append(Problem(what, "dataset.rl", check="audit"))
        return found

    def _is_defect(self, attacked: Attacked) -> bool:
        return attacked.attack.holds in UNDESERVED and attacked.unearned >= HALF * self.maximum

    def _pays(self, words: str, attacks: Sequence[Attacked]) -> str:
        return f"it pays {words} (of {self.maximum:.2f}): " + ", ".join(f"{a.name} {a.pay:.2f}" for a in attacks)

    def _underpaid(self) -> str:
        return f"{len(self.golds.failing)} of {self.golds.rows} golds do not get full marks in perfect form"

    def _overpaid(self) -> str:
        return f"{len(self.wrong.failing)} of {self.wrong.rows} wrong answers are paid more than for their form"


def audit(rows: Sequence[Row], fmt: Format, reward: Reward, opened: bool = False) -> Audit:
    """Score golds, wrong answers and every attack on these rows.

    `opened`: the chat template writes the opening reasoning tag. Raises `Refused` if there is no row, or if one of the
    reward's functions fails on a completion.
    """
    if not rows:
        raise refuse("there is no row to audit the reward with", "dataset.rl")
    grader = Grader(fmt, reward, opened)
    right = [in_form(row, row["gold"], fmt) for row in rows]
    perfect = grader.pay("a gold", rows, right, as_if=Verdict.RIGHT)
    golds = grader.pay("a gold", rows, right)
    maximum = max(paid.pay for paid in (*perfect, *golds))
    pairs = [(row, answer) for row in rows for answer in wrong_answers(row, rows)]
    asked, written = [row for row, _ in pairs], [in_form(row, answer, fmt) for row, answer in pairs]
    form = grader.pay("a wrong answer", asked, written, as_if=Verdict.WRONG)
    wrong = grader.pay("a wrong answer", asked, written)
    attacked = (_attack(name, rows, fmt, grader, maximum, mean_pay(form)) for name in ATTACKS)
    return Audit(
        rows=len(rows),
        maximum=maximum,
        form=mean_pay(form),
        golds=_checked(golds, [paid for paid, full in zip(golds, perfect, strict=True) if _less(paid, full, maximum)]),
        wrong=_checked(wrong, [paid for paid, due in zip(wrong, form, strict=True) if paid.pay > due.pay + ROUNDING]),
        attacks=tuple(one for one in attacked if one is not None),
        remedy=_remedy(reward),
    )


def quick_audit(rows: Sequence[Row], fmt: Format, reward: Reward, opened: bool) -> Audit:
    """The audit of 50 rows taken evenly from `rows`, for use inside a run."""
    return audit(rows[:: max(1, len(rows) // QUICK_ROWS)][:QUICK_ROWS], fmt, reward, opened)


def _less(paid: Paid, full: Paid, maximum: float) -> bool:
    """Less than for a perfect verdict, or, where the reward reads the text itself, half of what another gold gets."""
    return paid.pay < max(full.pay, HALF * maximum) - ROUNDING


def _remedy(reward: Reward) -> str:
    if reward.verifier is not None:
        return "reward.verifier=null"
    functions = {component.function or name for name, component in reward.components.items()}
    return "" if functions == {"strict"} else "reward=strict"


def _checked(paid: list[Paid], failing: list[Paid]) -> Checked:
    return Checked(len(paid), mean_pay(paid), max(one.pay for one in paid), tuple(failing))


def _attack(
    name: str, rows: Sequence[Row], fmt: Format, grader: Grader, maximum: float, form: float
) -> Attacked | None:
    attack = ATTACKS[name]
    written = [(row, completion) for row in rows if (completion := attack.write(row, fmt, rows)) is not None]
    if not written:
        return None
    paid = grader.pay(f"the attack {name!r}", [row for row, _ in written], [completion for _, completion in written])
    # A guess that hits is no defect of the reward; for attacks that hold the gold there is no luck.
    unlucky = [one for one in paid if attack.holds is not Holds.NOTHING or not _deserves(one)]
    unearned = mean_pay(unlucky)
    return Attacked(
        name=name,
        attack=attack,
        rows=len(paid),
        pay=mean_pay(paid),
        highest=max(one.pay for one in paid),
        share=mean_pay(paid) / maximum if maximum > 0 else 0.0,
        luck=(len(paid) - len(unlucky)) / len(paid),
        unearned=unearned,
        verdict=_verdict(unearned, maximum, form),
        example=max(unlucky or paid, key=lambda one: one.pay),
    )


def _verdict(unearned: float, maximum: float, form: float) -> Safety:
    crumb = TOLERATED * max(maximum, 0.0)
    if unearned <= crumb:
        return Safety.SAFE
    if unearned >= HALF * maximum or unearned > form + crumb:
        return Safety.PAYS
    return Safety.FORM


def _deserves(paid: Paid) -> bool:
    answer = paid.judged.extracted
    return answer is not None and credit(answer, paid.row) > 0


def _problem(what: str, examples: Sequence[Paid], fix: str = "") -> Problem:
    where = "reward"
    if examples:
        first = examples[0]
        payer = max(first.components, key=lambda name: abs(first.components[name]))
        where = f"reward.components.{payer}"
        what += f"; for example gold {first.row['gold'][:60]!r}, extracted {_short(first.judged)}"
    return Problem(what, where, fix, "audit")


def _short(judged: Judged) -> str:
    extracted = "nothing" if judged.extracted is None else repr(judged.extracted[:60])
    reason = judged.reason or "; ".join(judged.problems)
    return f"{extracted}: {judged.verdict}" + (f" ({reason[:120]})" if reason else "")
