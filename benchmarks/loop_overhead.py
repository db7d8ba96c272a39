"""Seconds per optimiser step of `exp` against a plain TRL script with the same settings, alternating in one process.

Prints one JSON object as its last line: {"sft_ratio", "grpo_ratio"}, medians over the rounds of exp / plain. Both
sides train the embedded model on the same rows; step times are differences between consecutive log calls, so that
loading, compiling and the first step are left out on both sides.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from datasets import Dataset
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, PrinterCallback, TrainerCallback
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from exp.config.compose import compose_point
from exp.models.source import EMBEDDED
from exp.run import run_point

BASE = EMBEDDED["embedded:tiny"]
COMMON = {"max_grad_norm": 1.0, "adam_beta2": 0.98, "logging_steps": 1, "save_strategy": "no", "report_to": "none"}
COMMON |= {"use_cpu": True, "bf16": False, "gradient_checkpointing": False, "disable_tqdm": True, "seed": 0}
COMMON |= {"dataloader_pin_memory": False}
ANSWER = re.compile(r"\s*<think>\s*\S.*?</think>\s*<answer>\s*(\d+)\s*</answer>\s*", re.DOTALL)


class Clock(TrainerCallback):
    """When each log call came."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.times.append(time.time())


def plain_sft(data: Path, steps: int) -> list[float]:
    """What a script of twenty lines does: log times of SFT."""
    clock = Clock()
    adapter = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")
    options = {"max_steps": steps, "per_device_train_batch_size": 128, "learning_rate": 5e-3, "warmup_steps": 5}
    with tempfile.TemporaryDirectory() as folder:
        trainer = SFTTrainer(
            model=get_peft_model(AutoModelForCausalLM.from_pretrained(BASE, dtype="float32"), adapter),
            args=SFTConfig(
                output_dir=folder,
                lr_scheduler_type="constant_with_warmup",
                max_length=80,
                completion_only_loss=True,
                shuffle_dataset=True,
                **options,
                **COMMON,
            ),
            train_dataset=Dataset.from_parquet(str(data / "sft.parquet")).select_columns(
                ["input_ids", "completion_mask"]
            ),
            processing_class=AutoTokenizer.from_pretrained(BASE),
            callbacks=[clock],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    return clock.times


def plain_grpo(data: Path, adapter: Path, steps: int) -> list[float]:
    """What a script of thirty lines does: log times of GRPO with a regular expression as reward."""
    clock = Clock()

    def reward(completions: list[Any], gold: list[str], **columns: Any) -> list[float]:
        found = [ANSWER.fullmatch(c[0]["content"]) for c in completions]
        return [float(bool(m) and int(m[1]) == int(g)) for m, g in zip(found, gold, strict=True)]

    model = AutoModelForCausalLM.from_pretrained(BASE, dtype="float32")
    options = {"max_steps": steps, "per_device_train_batch_size": 128, "num_generations": 8, "learning_rate": 1e-3}
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=PeftModel.from_pretrained(model, adapter, is_trainable=True),
            reward_funcs=reward,
            args=GRPOConfig(
                output_dir=folder,
                lr_scheduler_type="constant",
                loss_type="dapo",
                max_completion_length=32,
                **options,
                **COMMON,
            ),
            train_dataset=Dataset.from_parquet(str(data / "rl.parquet")),
            processing_class=AutoTokenizer.from_pretrained(BASE),
            callbacks=[clock],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    return clock.times


def ours(outputs: Path, stage: str, overrides: list[str]) -> list[float]:
    """Log times of one stage of a run of `exp` with its terminal, metrics and completions on disk."""
    with (outputs / "screen.txt").open("w") as screen:
        words = [f"outputs={outputs}", "tracker=none", "eval=none", *overrides]
        assert run_point(compose_point(words), words, screen) == 0
    rows = [json.loads(line) for line in (newest(outputs) / "metrics.jsonl").read_text().splitlines()]
    return [row["time"] for row in rows if row["stage"] == stage]


def newest(outputs: Path) -> Path:
    """The last run's folder."""
    return max((outputs / "runs").iterdir())


def step_seconds(times: list[float]) -> float:
    """Median time between log calls, the first five steps left out."""
    return statistics.median(b - a for a, b in itertools.pairwise(times[5:]))


def compare(rounds: int, first: Callable[[int], list[float]], second: Callable[[int], list[float]]) -> float:
    """Median over the rounds of first / second; who goes first alternates, so that a drift of the machine cancels."""
    ratios = []
    for number in range(rounds):
        order = (first, second) if number % 2 else (second, first)
        seconds = {run: step_seconds(run(number)) for run in order}
        ratios.append(seconds[first] / seconds[second])
        print(f"  exp {seconds[first]:.4f} s, plain {seconds[second]:.4f} s, ratio {ratios[-1]:.3f}", flush=True)
    return statistics.median(ratios)


def main() -> None:
    """Run the rounds and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outputs = Path(folder)
        # The first run prepares rows and an adapter for both sides; it is not measured.
        ours(outputs, "grpo", [f"sft.steps={options.steps}", "grpo.steps=2", "grpo.save_steps=1000"])
        artifacts = newest(outputs) / "artifacts"
        sft_rows, rl_rows = (artifacts / name for name in ("data_sft", "data_rl"))
        adapter = (artifacts / "sft" / "adapter").resolve()
        start = f"grpo.start_from=sft/{adapter.parent.name}"
        print("SFT")
        sft = compare(
            options.rounds,
            lambda n: ours(
                outputs, "sft", ["grpo=none", f"seed={n + 1}", f"sft.steps={options.steps}", "sft.save_steps=1000"]
            ),
            lambda n: plain_sft(sft_rows, options.steps),
        )
        print("GRPO")
        grpo = compare(
            options.rounds,
            lambda n: ours(
                outputs,
                "grpo",
                ["sft=none", start, f"seed={n + 1}", f"grpo.steps={options.steps}", "grpo.save_steps=1000"],
            ),
            lambda n: plain_grpo(rl_rows, adapter, options.steps),
        )
    print(json.dumps({"sft_ratio": round(sft, 3), "grpo_ratio": round(grpo, 3)}))


if __name__ == "__main__":
    main()
