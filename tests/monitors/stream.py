"""Made-up training: steps of groups of completions, and the alerts that the monitors raise over them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from exp.config.contracts import Format, Generations
from exp.config.evaluation import Component, Reward
from exp.config.model import Model
from exp.config.point import Point
from exp.contract.format import parse
from exp.monitors.alert import Alert
from exp.monitors.watch import Monitors

THINK = Format(
    system_prompt="Think.",
    reasoning_open="<think>",
    reasoning_close="</think>",
    answer_open="<answer>",
    answer_close="</answer>",
)
STEPS = 100
QUESTIONS = 16
"""Groups per step."""
SIZE = 4
"""Completions per group."""
WORDS = [f"w{i}" for i in range(400)]


class Step:
    """What a made-up policy sees of one completion it writes."""

    def __init__(self, number: int, gold: str, skill: float, rng: random.Random) -> None:
        self.progress = number / STEPS
        self.gold = gold
        self.skill = skill
        self.rng = rng

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def wrong(self) -> str:
        return str(self.rng.randrange(1000, 9999))

    def answer(self, right: float) -> str:
        """The gold, more often for easy questions, else some number."""
        return self.gold if self.chance(min(1.0, right + self.skill)) else self.wrong()

    def prose(self, words: int) -> str:
        return " ".join(self.rng.choices(WORDS, k=words))


Policy = Callable[[Step], str | tuple[str, bool]]
"""Writes a completion, or a completion and whether it ended."""
Pay = Callable[[dict[str, Any]], float]
"""The reward of a row that has no reward yet; it may change the verdict too, or set `strict`, a truth of its own."""


def formed(reasoning: str, answer: str) -> str:
    return f"<think>\n{reasoning}\n</think>\n<answer>{answer}</answer>"


def truth(row: dict[str, Any]) -> float:
    return float(row["verdict"] == "right" and row["well_formed"])


def batch(number: int, policy: Policy, pay: Pay, rng: random.Random, questions: int, size: int) -> list[dict[str, Any]]:
    rows = []
    for q in range(questions):
        gold, skill = str(rng.randrange(100, 999)), rng.uniform(-0.2, 0.2)
        for _ in range(size):
            written = policy(Step(number, gold, skill, rng))
            text, ended = written if isinstance(written, tuple) else (written, True)
            parsed = parse(text, THINK, ended=ended)
            verdict = "right" if parsed.answer == gold else "wrong"
            if parsed.answer is None:
                verdict = "no answer" if ended else "cut off"
            row: dict[str, Any] = {
                "step": number,
                "id": f"{number}-{q}",
                "question": "?",
                "gold": gold,
                "completion": text,
                "extracted": parsed.answer,
                "verdict": verdict,
                "well_formed": parsed.well_formed,
                "reason": "",
                "problems": list(parsed.problems),
                "tokens": len(text.split()),
                "ended": ended,
            }
            row["reward"] = pay(row)
            row["components"] = {"pay": row["reward"], "truth": row.pop("strict", truth(row))}
            rows.append(row)
    return rows


def stream(
    policy: Policy, pay: Pay = truth, questions: int = QUESTIONS, size: int = SIZE, steps: int = STEPS
) -> Iterator[tuple[list[dict[str, Any]], dict[str, Any]]]:
    """The completions and the row of metrics of every step."""
    rng = random.Random(0)
    for number in range(1, steps + 1):
        rows = batch(number, policy, pay, rng, questions, size)
        share = sum(truth(row) for row in rows) / len(rows)
        yield rows, {"stage": "grpo", "step": number, "loss": 0.01, "grad_norm": 0.2, "entropy": 0.5, "truth": share}


def point(size: int = SIZE, path: str | None = None) -> Point:
    """As much of a point as the monitors read."""
    return Point.model_construct(
        format=THINK,
        generations=Generations(num_generations=size),
        reward=Reward(components={"pay": Component()}),
        model=Model.model_construct(path=path),
    )


def watch(
    folder: Path, policy: Policy, pay: Pay = truth, questions: int = QUESTIONS, size: int = SIZE
) -> dict[str, list[Alert]]:
    """The alerts of a whole made-up stage, by monitor."""
    heard: dict[str, list[Alert]] = {}
    monitors = Monitors(point(size), folder, lambda alert: heard.setdefault(alert.monitor, []).append(alert))
    (folder / "artifacts" / "grpo").mkdir(parents=True)
    monitors.started("grpo", STEPS, 0)
    for rows, metrics in stream(policy, pay, questions, size):
        monitors.completions("grpo", rows)
        monitors.metrics(metrics)
    return heard


def rows_written(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "alerts.jsonl").read_text().splitlines()]
