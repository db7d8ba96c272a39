"""Makes a run's folder as the embedded addition task leaves it: SFT forgets carries, GRPO learns them."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from exp.data.addition import demonstrate, eval_examples, rl_examples

Row = dict[str, Any]

HOSTILE = (
    "<think>5+5</script><script>window.hacked = 1</script></think>"
    '<img src=x onerror="window.hacked = 2"><!--<script>'
    "\u202e\u0000\u0007\x1b[31m\ud800 &lt;b&gt; ${7*7} <answer>10</answer>"
)
CORRECT = {"base": 0.0, "sft": 0.55, "grpo": 0.978}
STEPS = {"sft": 60, "grpo": 80}


def make_run(folder: Path, questions: int = 500, prompts: int = 8, generations: int = 8) -> Path:
    """Write every file of a finished run into `folder` and return it."""
    rng = Random(0)
    evaluated = {name: list(_evaluate(rng, name, questions)) for name in CORRECT}
    for name, rows in evaluated.items():
        write_rows(folder / "eval" / f"{name}.jsonl", rows)
    write_rows(folder / "completions" / "grpo.jsonl", _rollouts(rng, prompts, generations))
    write_rows(folder / "metrics.jsonl", _metrics(rng))
    (folder / "result.json").write_text(json.dumps(_result(evaluated)))
    (folder / "config.yaml").write_text(_CONFIG)
    (folder / "overrides.txt").write_text("seed=1\nlora=r16\n")
    (folder / "environment.json").write_text(json.dumps(_ENVIRONMENT))
    return folder


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """One JSON object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _answer(rng: Random, question: str, correct: float, formatted: float, cut: float) -> Row:
    """One completion with its verdict; a wrong one forgets the carry, or invents a number where there is none."""
    x, y = map(int, question.removesuffix("=?").split("+"))
    gold = str(x + y)
    forgets = rng.random() >= correct
    said = demonstrate((x, y), forget_carry=forgets)
    if forgets and said["answer"] == gold:
        said["answer"] = str((x + y + rng.choice((-10, 1, 9, 10))) % 200)
    if rng.random() >= formatted:
        return _row(f"{question[:-1]}{said['answer']}", gold, None, "no answer", "no <answer> block")
    if rng.random() < cut:
        return _row(
            f"<think>{said['reasoning']}" + "0" * 24, gold, None, "cut off", "reached 48 tokens before the stop token"
        )
    text = f"<think>{said['reasoning']}</think><answer>{said['answer']}</answer>"
    right = said["answer"] == gold
    return _row(
        text, gold, said["answer"], "right" if right else "wrong", f"{said['answer']} {'=' if right else '≠'} {gold}"
    )


def _row(text: str, gold: str, extracted: str | None, verdict: str, reason: str) -> Row:
    return {
        "gold": gold,
        "completion": text,
        "extracted": extracted,
        "verdict": verdict,
        "well_formed": extracted is not None,
        "reason": reason,
        "tokens": len(text.replace("<think>", "t").replace("</think>", "t")),
    }


def _evaluate(rng: Random, name: str, questions: int) -> Iterator[Row]:
    formatted = 0.0 if name == "base" else 1.0
    for place, example in enumerate(eval_examples(questions)):
        head = {"model": name, "id": example["id"], "question": example["question"]}
        said = _answer(rng, example["question"], CORRECT[name], formatted, 0.03 if name == "sft" else 0.0)
        if name == "grpo" and place == 1:
            said = _row(HOSTILE, example["answer"], "10", "wrong", f"10 ≠ {example['answer']} <b onclick=alert(1)>")
        yield head | {"mode": "greedy"} | said
        for _ in range(4):
            yield head | {"mode": "sampled"} | _answer(rng, example["question"], 0.75 * CORRECT[name], formatted, 0.04)


def _progress(step: int) -> float:
    return 1 / (1 + math.exp(-(step - 28) / 9))


def _rollouts(rng: Random, prompts: int, generations: int) -> Iterator[Row]:
    examples = rl_examples(0, STEPS["grpo"] * prompts)
    for place, example in enumerate(examples):
        step = place // prompts + 1
        for _ in range(generations):
            said = _answer(rng, example["question"], 0.42 + 0.28 * _progress(step), 0.99, 0.02)
            parts = {"correct": float(said["verdict"] == "right"), "format": 0.1 * said["well_formed"]}
            head = {"stage": "grpo", "step": step, "id": example["id"], "question": example["question"]}
            paid = {"reward": sum(parts.values()), "components": parts, "ended": said["verdict"] != "cut off"}
            yield head | said | paid


def _metrics(rng: Random) -> Iterator[Row]:
    for step in range(1, STEPS["sft"] + 1):
        loss = 0.42 + 2.3 * math.exp(-step / 7) + rng.gauss(0, 0.025)
        yield {
            "stage": "sft",
            "step": step,
            "time": 0.17 * step,
            "loss": loss,
            "learning_rate": 3e-3 * min(1, step / 5),
            "grad_norm": 0.4 + 2 * math.exp(-step / 9) + rng.random() * 0.1,
            "num_tokens": 4200 * step,
        }
    for step in range(1, STEPS["grpo"] + 1):
        truth = 0.44 + 0.27 * _progress(step) + rng.gauss(0, 0.03)
        shape = 0.1 * min(1.0, 0.97 + rng.random() * 0.04)
        yield {
            "stage": "grpo",
            "step": step,
            "time": 10 + 0.65 * step,
            "loss": rng.gauss(0, 0.01),
            "learning_rate": 2e-3,
            "grad_norm": 0.6 + rng.random() * 0.4,
            "reward": truth + shape,
            "reward_std": 0.45 + rng.gauss(0, 0.02),
            "rewards/correct": truth,
            "rewards/format": shape,
            "truth": truth,
            "completions/mean_length": 27.5 + rng.gauss(0, 0.4),
            "completions/clipped_ratio": max(0.0, rng.gauss(0.012, 0.008)),
            "frac_reward_zero_std": min(1, max(0.0, 0.06 + 0.2 * _progress(step) + rng.gauss(0, 0.03))),
            "entropy": 0.21 - 0.08 * _progress(step) + rng.gauss(0, 0.006),
            "kl": 0.09 * _progress(step) + rng.random() * 0.005,
            "num_tokens": 9600 * step,
        }


def _result(evaluated: dict[str, list[Row]]) -> dict[str, Any]:
    greedy = {name: [row for row in rows if row["mode"] == "greedy"] for name, rows in evaluated.items()}
    right = {name: [row["verdict"] == "right" for row in rows] for name, rows in greedy.items()}
    return {
        "run": "20300102-030405-addition-1a2b3c4d",
        "point": "1a2b3c4d",
        "started": "2030-01-02T03:04:05+00:00",
        "seconds": 71.3,
        "stages": {
            "data": {"id": "0f1e2d3c", "seconds": 0.6, "status": "done", "reused": True},
            "sft": {"id": "5a6b7c8d", "seconds": 10.2, "status": "done"},
            "grpo": {"id": "9e8f7a6b", "seconds": 51.9, "status": "done"},
            "eval": {"id": "c0ffee00", "seconds": 6.4, "status": "done"},
        },
        "eval": {
            name: _measured(rows, [r for r in evaluated[name] if r["mode"] == "sampled"])
            for name, rows in greedy.items()
        },
        "comparisons": {
            f"{after}_vs_{before}": _compared(right[before], right[after])
            for before, after in (("base", "sft"), ("sft", "grpo"), ("base", "grpo"))
        },
        "data": {
            "counts": {
                "sft": {"rows": 4000, "duplicates": 0, "too long": 0},
                "rl": {"rows": 2560, "duplicates": 0, "too long": 0},
            },
            "tokens": {
                "prompt": {"p50": 24, "p95": 24, "p99": 24, "max": 24},
                "completion": {"p50": 28, "p95": 29, "p99": 29, "max": 29},
            },
            "overlap with evaluation": 0,
        },
    }


def _measured(rows: list[Row], sampled: list[Row]) -> dict[str, Any]:
    right = sum(row["verdict"] == "right" for row in rows)
    often = sum(row["verdict"] == "right" for row in sampled)
    return {
        "dataset": "addition",
        "n": len(rows),
        "mode": "greedy",
        "accuracy": right / len(rows),
        "ci95": _wilson(right, len(rows)),
        "format_rate": sum(row["well_formed"] for row in rows) / len(rows),
        "truncated_rate": sum(row["verdict"] == "cut off" for row in rows) / len(rows),
        "mean_tokens": sum(row["tokens"] for row in rows) / len(rows),
        "seconds": 2.1,
        "outcomes": dict(Counter(row["verdict"] for row in rows)),
        "sampled": {"samples": 4, "accuracy": often / len(sampled), "ci95": _wilson(often, len(sampled))},
    }


def _wilson(right: int, n: int) -> list[float]:
    z, share = 1.96, right / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return [max(0.0, centre - half), min(1.0, centre + half)]


def _compared(before: list[bool], after: list[bool]) -> dict[str, Any]:
    wins = sum(now and not was for was, now in zip(before, after, strict=True))
    losses = sum(was and not now for was, now in zip(before, after, strict=True))
    n, difference = len(before), (wins - losses) / len(before)
    half = 1.96 * math.sqrt(((wins + losses) / n - difference**2) / n)
    discordant = wins + losses
    tail = sum(math.comb(discordant, k) for k in range(min(wins, losses) + 1)) / 2**discordant
    return {
        "difference": difference,
        "ci95": [difference - half, difference + half],
        "wins": wins,
        "losses": losses,
        "p": min(1.0, 2 * tail),
    }


_CONFIG = """\
seed: 1
model:
  name: tiny
dataset:
  name: addition
format:
  system_prompt: "Work the sum out between <think> and </think>, then answer between <answer> and </answer>."
  reasoning_open: "<think>"
  reasoning_close: "</think>"
lora:
  rank: 16
generations:
  num_generations: 8
"""
_ENVIRONMENT = {
    "python": "3.11.9",
    "packages": ["torch==2.13.0", "transformers==5.17.0", "trl==1.14.2", "peft==0.21.2"],
    "command": ["train.py", "seed=1", "lora=r16"],
    "code": {"commit": "8d3f0c1", "changed files": 0},
    "machine": {"cpu cores": 2, "memory": "8 GiB", "gpu": None},
}
