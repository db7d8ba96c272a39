"""Reward functions: their values, and what is refused before anything runs."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import yaml

from exp.config.contracts import Format
from exp.config.evaluation import Component, Reward
from exp.errors import Refused
from exp.rewards.judge import Completion, Judged, Verdict, judge
from exp.rewards.library import REWARDS, Batch, problems, resolve, score

CONF = Path(__file__).resolve().parents[2] / "conf"
FORMAT = Format(**yaml.safe_load((CONF / "format" / "think_answer.yaml").read_text(encoding="utf-8")))
GOOD = "<think>Two and three.</think><answer>5</answer>"


def reward(**components: Component) -> Reward:
    """A reward of these components."""
    return Reward(components=components)


def batch(texts: list[str], gold: str = "5", kind: str = "integer", tokens: list[int] | None = None) -> Batch:
    """These texts, judged as completions of one prompt."""
    counts = tokens or [10] * len(texts)
    completions = [Completion(text, num_tokens=n) for text, n in zip(texts, counts, strict=True)]
    golds = [gold] * len(texts)
    return Batch(
        completions, judge(completions, golds, [kind] * len(texts), FORMAT), golds, [{"question": "2+3"}] * len(texts)
    )


def value(name: str, judged: Batch, **options: object) -> list[float | None]:
    """One component's numbers."""
    return score(judged, reward(**{name: Component(options=options)}))[name]


def test_verdict_and_form_are_separate_facts() -> None:
    texts = [GOOD, "<answer>5</answer>", GOOD.replace("5<", "6<"), "<think>I wonder"]
    completions = [Completion(texts[0]), Completion(texts[1]), Completion(texts[2]), Completion(texts[3], ended=False)]
    judged = judge(completions, ["5"] * 4, ["integer"] * 4, FORMAT)
    assert [j.verdict for j in judged] == [Verdict.RIGHT, Verdict.RIGHT, Verdict.WRONG, Verdict.CUT_OFF]
    assert [j.well_formed for j in judged] == [True, False, True, False]
    assert [j.extracted for j in judged] == ["5", "5", "6", None]


def test_a_finished_completion_without_an_answer_has_no_answer() -> None:
    judged: Judged = judge([Completion("It is five.")], ["5"], ["integer"], FORMAT)[0]
    assert judged.verdict is Verdict.NO_ANSWER
    assert "no answer between <answer> and </answer>" in judged.reason


def test_strict_pays_only_right_answers_in_good_form() -> None:
    texts = [GOOD, "<answer>5</answer>", GOOD.replace("5<", "6<"), "<think></think><answer>5</answer>"]
    assert value("strict", batch(texts)) == [1, 0, 0, 0]
    assert value("accuracy", batch(texts)) == [1, 1, 0, 1]
    assert value("format", batch(texts)) == [1, 0, 1, 0]


def test_marks_give_jeebench_partial_credit() -> None:
    texts = [GOOD.replace("5<", f"{letters}<") for letters in ("AC", "A", "AB")]
    assert value("marks", batch(texts, gold="AC", kind="jee_multiple")) == [1.0, 0.25, 0.0]


def test_soft_overlong_falls_linearly_in_its_buffer() -> None:
    judged = batch([GOOD] * 4, tokens=[70, 80, 90, 120])
    assert value("soft_overlong", judged, max_tokens=100, buffer=20) == [0, 0, -0.5, -1]


def test_cosine_prefers_short_right_and_long_wrong_answers() -> None:
    wrong = GOOD.replace("5<", "6<")
    judged = batch([GOOD, GOOD, wrong, wrong, GOOD], tokens=[0, 100, 0, 100, 50])
    assert value("cosine", judged, max_tokens=100) == pytest.approx([1.0, 0.5, -1.0, -0.5, 0.75])


def test_repetition_counts_repeated_word_groups() -> None:
    judged = batch(["one two three four five", "so so so so so so", "short"])
    assert value("repetition", judged, ngram=3) == pytest.approx([0, -0.75, 0])


def test_length_compares_within_the_group_of_a_prompt() -> None:
    wrong = GOOD.replace("5<", "6<")
    assert value("length", batch([GOOD, GOOD, wrong], tokens=[10, 30, 10])) == [0.5, -0.5, 0.0]
    assert value("length", batch([GOOD, GOOD], tokens=[10, 10])) == [0, 0]
    two = batch([GOOD] * 4, tokens=[10, 20, 100, 200])
    groups = Batch(two.completions, two.judged, two.golds, [{"q": 1}] * 2 + [{"q": 2}] * 2)
    assert value("length", groups) == [0.5, -0.5, 0.5, -0.5]


@pytest.mark.parametrize("name", ["strict", "lenient", "accuracy"])
def test_the_shipped_rewards_have_no_problems_and_pay_one_for_a_perfect_completion(name: str) -> None:
    shipped = Reward(**yaml.safe_load((CONF / "reward" / f"{name}.yaml").read_text(encoding="utf-8")))
    assert problems(shipped) == []
    scores = score(batch([GOOD, "nothing"]), shipped)
    totals = [sum(shipped.components[n].weight * (column[i] or 0) for n, column in scores.items()) for i in (0, 1)]
    assert totals == pytest.approx([1, 0])


def test_every_reward_documents_itself() -> None:
    assert all(function.__doc__ for function in REWARDS.values())


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refused, match="did you mean strict"):
        resolve("strct")


def test_all_problems_of_a_reward_are_found_at_once() -> None:
    broken = Reward(
        components={
            "strct": Component(),
            "soft_overlong": Component(options={"max_tokens": "many", "bufer": 3}),
            "mine": Component(function="nowhere.py:mine"),
        },
        verifier="mth",
    )
    found = {problem.where: problem for problem in problems(broken)}
    assert found["reward.components.strct.function"].fix == "reward.components.strct.function=strict"
    assert "did you mean buffer" in found["reward.components.soft_overlong.options.bufer"].what
    assert "reward.components.soft_overlong.options.max_tokens" in found
    assert "reward.components.soft_overlong.options.buffer" in found
    assert "no file" in found["reward.components.mine.function"].what
    assert found["reward.verifier"].fix == "reward.verifier=math"


def user_file(folder: Path, text: str) -> str:
    """A user's file with this text."""
    file = folder / "mine.py"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_users_reward_may_be_sync_or_async(tmp_path: Path) -> None:
    file = user_file(
        tmp_path,
        "import asyncio\n"
        "def tokens(batch, scale=1.0):\n    return [scale * c.num_tokens for c in batch.completions]\n"
        "async def later(batch):\n    await asyncio.sleep(0)\n    return [None for _ in batch.golds]\n",
    )
    both = reward(
        a=Component(function=f"{file}:tokens", options={"scale": 0.5}),
        b=Component(function=f"{file}:later"),
    )
    assert problems(both) == []
    assert score(batch([GOOD]), both) == {"a": [5.0], "b": [None]}


@pytest.mark.parametrize("body", ["[]", "[float('nan')]"])
def test_a_users_reward_must_return_one_finite_number_per_completion(tmp_path: Path, body: str) -> None:
    file = user_file(tmp_path, f"def mine(batch):\n    return {body}\n")
    with pytest.raises(Refused, match=r"reward\.components\.mine"):
        score(batch([GOOD]), reward(mine=Component(function=f"{file}:mine")))


def test_a_misspelt_function_of_a_users_file_is_refused_with_the_nearest(tmp_path: Path) -> None:
    file = user_file(tmp_path, "def my_reward(batch):\n    return []\n")
    with pytest.raises(Refused, match="my_reward"):
        resolve(f"{file}:my_rewrd")


def test_rewards_are_finite() -> None:
    for name, function in REWARDS.items():
        options = {"soft_overlong": {"max_tokens": 10, "buffer": 5}, "cosine": {"max_tokens": 10}}.get(name, {})
        assert all(math.isfinite(number or 0) for number in function(batch([GOOD, ""]), **options))
