"""The audit: shipped rewards are as safe as they claim on real questions, and broken ones are exposed by name."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import pytest

from exp.config.compose import compose_point
from exp.config.contracts import Format
from exp.config.evaluation import Component, Reward
from exp.config.point import Point
from exp.data.rows import rl_row
from exp.data.sources import open_source
from exp.errors import Refused
from exp.rewards.attacks import ATTACKS, Holds, Row
from exp.rewards.audit import Attacked, Audit, Safety, audit, quick_audit

FORMATS = ("think_answer", "think_boxed", "boxed", "working_out")
DATA = {
    "svamp": ["dataset=svamp", "dataset.path={}/svamp.jsonl"],
    "gsm8k": ["dataset=gsm8k", "dataset.path={}/gsm8k_train.jsonl"],
    "math500": ["dataset=jsonl", "dataset.path={}/math500.jsonl", "dataset.rl.name=math500"],
    "jeebench": ["dataset=jeebench", "dataset.path={}/jeebench.json"],
}
QUESTIONS: list[Row] = [
    {"question": f"There are some pens in {n} boxes. How many?", "gold": str(gold), "kind": "number"}
    for n, gold in enumerate([12, 7, 30, 7, 145, 1000, 9, 3])
]
BROKEN = """
import re

def substring(batch):
    return [float(gold in c.text) for c, gold in zip(batch.completions, batch.golds)]

def last_number(batch):
    found = [re.findall(r"-?[0-9]+", c.text) or [""] for c in batch.completions]
    return [float(numbers[-1] == gold) for numbers, gold in zip(found, batch.golds)]

def tags(batch):
    marks = ("<think>", "</think>", "<answer>", "</answer>")
    return [sum(mark in c.text for mark in marks) / 4 for c in batch.completions]

def two_digits(batch):
    return [float(j.verdict == "right" and len(j.extracted) < 3) for j in batch.judged]

def nothing(batch):
    return [0.0 for _ in batch.judged]

def careless(batch):
    return [float(c.text.split("<answer>")[1].split("<")[0] == "1") for c in batch.completions]

def same_start(answer, gold):
    return answer[:1] == gold[:1]
"""


def point(*words: str) -> Point:
    return compose_point(list(words))


def questions(name: str, shared_data: Path, n: int) -> list[Row]:
    """The first `n` RL rows of a real data set."""
    dataset = point(*(word.format(shared_data) for word in DATA[name])).dataset
    opened = open_source(dataset, "rl")
    return [asdict(rl_row(r.example, opened.source, FORMAT)) for r in islice(opened.read(0), n) if r.example]


FORMAT: Format = point().format


def broken(folder: Path, name: str) -> Reward:
    """A user's reward of that name."""
    file = folder / "mine.py"
    file.write_text(BROKEN, encoding="utf-8")
    return Reward(components={name: Component(function=f"{file}:{name}")})


def named(outcome: Audit, name: str) -> Attacked:
    (found,) = [one for one in outcome.attacks if one.name == name]
    return found


def whats(found: list[object]) -> str:
    return "\n".join(map(str, found))


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("name", DATA)
def test_strict_pays_real_golds_in_full_and_no_attack(name: str, fmt: str, opened: bool, shared_data: Path) -> None:
    rows = questions(name, shared_data, 40)
    outcome = audit(rows, point(f"format={fmt}").format, point("reward=strict").reward, opened)
    assert outcome.rows == len(rows) == 40
    assert (outcome.maximum, outcome.golds.pay, outcome.golds.failing) == (1.0, 1.0, ())
    assert (outcome.wrong.highest, outcome.form) == (0.0, 0.0)
    assert {one.name: one.unearned for one in outcome.attacks if one.verdict is not Safety.SAFE} == {}
    assert outcome.problems() == []
    assert len(outcome.attacks) >= len(ATTACKS) - 5


@pytest.mark.parametrize("reward", ["strict", "lenient", "accuracy"])
@pytest.mark.parametrize("name", DATA)
def test_no_shipped_reward_has_an_error_on_real_questions(name: str, reward: str, shared_data: Path) -> None:
    rows = questions(name, shared_data, 60)
    assert audit(rows, FORMAT, point(f"reward={reward}").reward).problems() == []


def test_the_answer_prior_pays_its_frequency_and_that_is_luck(shared_data: Path) -> None:
    rows = questions("svamp", shared_data, 100)
    prior = named(audit(rows, FORMAT, point("reward=strict").reward), "most frequent gold")
    golds = [row["gold"] for row in rows]
    assert prior.pay == prior.luck == max(map(golds.count, golds)) / len(golds) > 0
    assert (prior.unearned, prior.verdict) == (0.0, Safety.SAFE)


def test_guessing_that_answers_most_questions_is_warned_about() -> None:
    rows = [row | {"gold": "7"} for row in QUESTIONS]
    outcome = audit(rows, FORMAT, point("reward=strict").reward)
    assert "100% of the rows are answered without thought: most frequent gold" in whats(outcome.warnings())


def test_lenient_pays_for_form_and_hides_nothing() -> None:
    outcome = audit(QUESTIONS, FORMAT, point("reward=lenient").reward)
    assert outcome.form == outcome.wrong.pay == pytest.approx(0.2)
    filler, twice = named(outcome, "filler reasoning"), named(outcome, "repeated blocks")
    assert (filler.verdict, filler.share) == (Safety.FORM, pytest.approx(0.2))
    assert (twice.verdict, twice.share) == (Safety.PAYS, pytest.approx(0.8))
    assert twice.example.components == pytest.approx({"marks": 0.8, "format": 0.0})
    assert outcome.problems() == []
    assert "for form without a right answer (of 1.00): filler reasoning 0.20" in whats(outcome.warnings())
    assert "broken form (of 1.00): cut off after the answer 0.80, repeated blocks 0.80" in whats(outcome.warnings())


def test_strict_needs_no_warning() -> None:
    assert audit(QUESTIONS, FORMAT, point("reward=strict").reward).warnings() == []


@pytest.mark.parametrize(
    ("name", "caught"),
    [
        ("substring", ["every number", "negated answer", "hedged answer", "cut off in the reasoning"]),
        ("last_number", ["negated answer", "two answers", "cut off in the answer"]),
        ("tags", ["tags at the end", "empty bodies", "repeated tags", "constant 0"]),
    ],
)
def test_a_broken_reward_is_exposed_by_the_names_of_the_attacks(tmp_path: Path, name: str, caught: list[str]) -> None:
    outcome = audit(QUESTIONS, FORMAT, broken(tmp_path, name))
    said = whats(outcome.problems())
    assert [attack for attack in caught if attack not in said] == []
    assert all(named(outcome, attack).verdict is Safety.PAYS for attack in caught)
    assert f"reward.components.{name}" in said
    assert {problem.fix for problem in outcome.problems()} == {"reward=strict"}


def test_wrong_answers_that_are_paid_in_full_are_an_error(tmp_path: Path) -> None:
    outcome = audit(QUESTIONS, FORMAT, broken(tmp_path, "tags"))
    assert "wrong answers in perfect form get 1.00 of 1.00" in whats(outcome.problems())


def test_golds_that_are_not_paid_are_listed_with_what_was_read(tmp_path: Path) -> None:
    outcome = audit(QUESTIONS, FORMAT, broken(tmp_path, "two_digits"))
    assert [(paid.row["gold"], paid.judged.extracted) for paid in outcome.golds.failing] == [
        ("145", "145"),
        ("1000", "1000"),
    ]
    assert "2 of 8 golds do not get full marks" in whats(outcome.problems())


def test_a_gold_that_the_format_cannot_hold_does_not_get_full_marks() -> None:
    row = {"question": "Which tag?", "gold": "</answer>", "kind": "exact"}
    outcome = audit([row], FORMAT, point("reward=strict").reward)
    assert "1 of 1 golds do not get full marks" in whats(outcome.problems())


def test_a_few_golds_that_fail_are_a_warning() -> None:
    rows = [QUESTIONS[0] | {"question": str(n)} for n in range(99)]
    rows.append({"question": "Which tag?", "gold": "</answer>", "kind": "exact"})
    outcome = audit(rows, FORMAT, point("reward=strict").reward)
    assert "golds" not in whats(outcome.problems())
    assert "1 of 100 golds do not get full marks" in whats(outcome.warnings())


def test_a_reward_that_never_pays_is_an_error(tmp_path: Path) -> None:
    outcome = audit(QUESTIONS, FORMAT, broken(tmp_path, "nothing"))
    assert "pays nothing for a right answer" in whats(outcome.problems())
    assert outcome.warnings() == []


def test_a_verifier_that_takes_wrong_answers_is_exposed(tmp_path: Path) -> None:
    broken(tmp_path, "nothing")
    reward = point("reward=strict", f"reward.verifier={tmp_path}/mine.py:same_start").reward
    problems = audit(QUESTIONS, FORMAT, reward).problems()
    assert "wrong answers are paid more than for their form" in whats(problems)
    assert problems[0].fix == "reward.verifier=null"


def test_a_reward_that_a_completion_breaks_is_refused_with_the_attack(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"fails on the attack 'no marks'|fails on the attack 'cut off"):
        audit(QUESTIONS, FORMAT, broken(tmp_path, "careless"))


def test_without_rows_there_is_no_audit() -> None:
    with pytest.raises(Refused, match="no row"):
        audit([], FORMAT, point().reward)


@pytest.mark.parametrize(("rows", "audited"), [(3, 3), (50, 50), (99, 50), (1000, 50)])
def test_the_quick_audit_takes_at_most_fifty_rows(rows: int, audited: int) -> None:
    many = [{"question": str(n), "gold": str(n), "kind": "integer"} for n in range(rows)]
    assert quick_audit(many, FORMAT, point("reward=strict").reward, opened=False).rows == audited


def test_rewards_of_length_do_not_disturb_the_verdicts() -> None:
    options = {"max_tokens": 400}
    reward = Reward(components={"strict": Component(), "cosine": Component(weight=0.2, options=options)})
    outcome = audit(QUESTIONS, FORMAT, reward)
    assert outcome.problems() == []
    assert named(outcome, "tags at the end").verdict is Safety.SAFE


def test_what_earns_more_than_an_honest_mistake_is_told(shared_data: Path) -> None:
    rows = questions("jeebench", shared_data, 60)
    outcome = audit(rows, FORMAT, Reward(components={"jee_marks": Component()}))
    assert outcome.maximum == 4.0
    assert outcome.form < 0
    assert outcome.problems() == []
    assert "honest wrong answer (of 4.00): tags at the end 0.00" in whats(outcome.warnings())


def test_every_attack_is_described_for_people_and_can_be_written_as_json() -> None:
    assert all(attack.description for attack in ATTACKS.values())
    assert json.dumps([attack.holds for attack in ATTACKS.values()])
    assert {attack.holds for attack in ATTACKS.values()} == set(Holds)
