"""The SFT stage: TRL's SFTTrainer on prepared tokens, a new adapter or all weights, proofs before it counts as done."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from exp.contract.batch import split_batch
from exp.data.storage import rows_file
from exp.models.policy import Policy, load_policy, new_adapter
from exp.models.proofs import require_trainable
from exp.stages.plan import Step
from exp.stages.policies import finish
from exp.stages.run import Run

NAMES = {"mean_token_accuracy": "token_accuracy", "num_tokens": "tokens"}


def run_sft(run: Run, step: Step, folder: Path) -> dict[str, Any]:
    """Train on the rows of the data artifact; returns the facts kept in the manifest.

    Raises `Interrupted` after saving where a signal asked for it, and `Refused` where the result fails its proofs.
    """
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    from exp.stages.training import Follow, aligned, common_options, train

    point = run.point
    data = run.store.root / "data" / step.inputs["data"]
    rows = Dataset.from_parquet(str(rows_file(data, "sft")), cache_dir=str(folder / "cache"))
    batch = split_batch(point.sft.batch_size, point.sft.micro_batch_size, point.world_size)
    start = Policy(run.base)
    model = load_policy(start, point.model, point.backend)
    if point.lora.rank:
        model = new_adapter(model, point.lora, point.seed)
    trainable = require_trainable(model)
    follow = Follow(run, step.name, folder, rename, every=point.sft.logging_steps)
    options = common_options(run, point.sft, batch, folder) | {
        "max_length": point.context.total,
        "packing": point.packing,
        "completion_only_loss": True,
        "shuffle_dataset": True,
        "save_steps": aligned(point.sft.save_steps, follow.every),
        **point.sft.extra,
    }
    trainer = SFTTrainer(
        model=model,
        args=SFTConfig(**options),
        train_dataset=rows.select_columns(["input_ids", "completion_mask"]),
        processing_class=run.tokenizer,
        callbacks=[follow],
    )
    total = planned_steps(trainer)
    train(run, trainer, follow, total)
    facts = {"trainable_parameters": trainable, "rows": len(rows), "steps": total, "batch": batch.as_dict()}
    facts["seconds_saving"] = round(follow.seconds_saving, 2)
    return facts | finish(run, "sft", trainer.model, start, folder)


def rename(logs: Mapping[str, float | None]) -> dict[str, float]:
    """TRL's names for SFT metrics to ours."""
    return {NAMES.get(name, name): float(value) for name, value in logs.items() if value is not None}


def planned_steps(trainer: Any) -> int:
    """Optimiser steps the trainer will make: `max_steps`, or what the epochs need."""
    args = trainer.args
    if args.max_steps > 0:
        return int(args.max_steps)
    per_epoch = -(-len(trainer.get_train_dataloader()) // args.gradient_accumulation_steps)
    return int(-(-per_epoch * args.num_train_epochs // 1))
