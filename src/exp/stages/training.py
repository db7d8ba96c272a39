"""What both trainers share: options for TRL, following the run, checkpoints that are whole or not used."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from exp.config.training import Training
from exp.contract.batch import Batch
from exp.models.load import choose_dtype
from exp.stages.files import damage, keep_rows, listing, read_rows, write_json
from exp.stages.run import Run
from exp.stages.stopping import Stopper
from exp.tracking.record import Record

if TYPE_CHECKING:
    from transformers import Trainer, TrainerControl, TrainerState, TrainingArguments

WHOLE = "whole.json"
"""Listing of a checkpoint's files, written last; a checkpoint without it was interrupted while being saved."""

ROWS = ("metrics.jsonl", "completions.jsonl")


def common_options(run: Run, group: Training, batch: Batch, folder: Path) -> dict[str, Any]:
    """Options of transformers' `TrainingArguments` for either stage, with those of `extra`."""
    import torch

    on_gpu = torch.cuda.is_available()
    half = choose_dtype(run.point.model.dtype)
    return {
        "output_dir": str(folder / "checkpoints"),
        "max_steps": group.steps,
        "num_train_epochs": group.epochs,
        "per_device_train_batch_size": batch.micro,
        "gradient_accumulation_steps": batch.accumulation,
        "learning_rate": group.learning_rate,
        "lr_scheduler_type": group.schedule,
        "warmup_steps": group.warmup_steps,
        "weight_decay": group.weight_decay,
        "adam_beta2": group.adam_beta2,
        "max_grad_norm": group.max_grad_norm,
        "gradient_checkpointing": group.gradient_checkpointing,
        "logging_steps": group.logging_steps,
        "logging_nan_inf_filter": False,
        "save_strategy": "steps",
        "save_total_limit": 2,
        "seed": run.point.seed,
        "bf16": on_gpu and half == torch.bfloat16,
        "fp16": on_gpu and half == torch.float16,
        "use_cpu": not on_gpu,
        "dataloader_pin_memory": on_gpu,
        "disable_tqdm": True,
        "report_to": "none",
        **group.extra,
    }


class Follow(TrainerCallback):
    """Tells the record what the trainer does, marks whole checkpoints, and stops when a signal asked for it."""

    def __init__(
        self,
        run: Run,
        stage: str,
        folder: Path,
        rename: Callable[[Mapping[str, float | None]], dict[str, float]],
        every: int = 1,
    ) -> None:
        self.record: Record = run.record
        self.stopper: Stopper = run.stopper
        self.stage = stage
        self.folder = folder
        self.rename = rename
        self.every = every
        """Optimiser steps between which the trainer can be stopped and resumed exactly: whole generated batches, and
        whole intervals of logging."""
        self.tokens_before = 0.0
        """Tokens trained on before this process resumed; TRL counts from zero again."""
        self.seconds_saving = 0.0

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if logs and "train_runtime" not in logs:
            values = self.rename(logs)
            if "tokens" in values:
                values["tokens"] += self.tokens_before
            self.record.metrics(self.folder, self.stage, state.global_step, values)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        self.record.progress(self.stage, state.global_step)
        if self.stopper.number and state.global_step % self.every == 0:
            control.should_save = True
            control.should_training_stop = True
        self.seconds_saving -= time.perf_counter() if control.should_save else 0.0

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        checkpoint = self.folder / "checkpoints" / f"checkpoint-{state.global_step}"
        write_json(checkpoint / WHOLE, listing(checkpoint))
        self.seconds_saving += time.perf_counter()


def train(run: Run, trainer: Trainer, follow: Follow, total: int) -> None:
    """Train `total` steps, resuming from the last whole checkpoint.

    Raises `Interrupted` after saving if a signal asked to stop.
    """
    from transformers import PrinterCallback

    stage, folder = follow.stage, follow.folder
    checkpoint = last_checkpoint(folder, run.record)
    done = int(checkpoint.name.rpartition("-")[2]) if checkpoint else 0
    for name in ROWS:
        keep_rows(folder / name, done)
    follow.tokens_before = max((row.get("tokens", 0.0) for row in read_rows(folder / ROWS[0])), default=0.0)
    run.record.resumed(stage, folder, done)
    run.record.started(stage, total, done)
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    if trainer.state.global_step < total:
        run.stopper.check()


def last_checkpoint(folder: Path, record: Record) -> Path | None:
    """The newest whole checkpoint, if there is one.

    One that was interrupted while being saved is removed; a damaged one is set aside and reported.
    """
    import json

    found = sorted((folder / "checkpoints").glob("checkpoint-*[0-9]"), key=lambda c: -int(c.name.rpartition("-")[2]))
    for checkpoint in found:
        if not (checkpoint / WHOLE).exists():
            shutil.rmtree(checkpoint)
            continue
        wrong = damage(checkpoint, json.loads((checkpoint / WHOLE).read_text()))
        if not wrong:
            return checkpoint
        checkpoint.rename(checkpoint.with_name(f"damaged-{checkpoint.name}"))
        record.say(
            f"{checkpoint.name} is damaged ({wrong}); it is kept as damaged-{checkpoint.name}, an earlier one is used"
        )
    return None


def aligned(save_steps: int, every: int) -> int:
    """`save_steps` raised to a multiple of `every`."""
    return -(-save_steps // every) * every
