"""The training groups: SFT and GRPO. Names are TRL's where TRL has one; `extra` passes any other TRL option through."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from exp.config.group import Group

Schedule = Literal["constant", "constant_with_warmup", "linear", "cosine"]


class Training(Group):
    """What both trainers share."""

    enabled: bool = True
    """Whether the stage runs at all."""
    steps: int = Field(default=-1, ge=-1)
    """Optimiser steps; -1 means as many as the epochs need."""
    epochs: float = Field(default=1.0, gt=0)
    """Passes over the data when `steps` is -1."""
    batch_size: int = Field(ge=1)
    """Effective batch: sequences (SFT) or completions (GRPO) per optimiser step, over all devices."""
    micro_batch_size: int = Field(ge=1)
    """Sequences one device holds at a time; the rest is gradient accumulation."""
    learning_rate: float = Field(gt=0)
    """Peak learning rate."""
    schedule: Schedule = "constant"
    """Shape of the learning rate over the steps."""
    warmup_steps: int = Field(default=0, ge=0)
    """Steps over which the learning rate rises from zero."""
    weight_decay: float = Field(default=0.0, ge=0)
    """AdamW weight decay."""
    adam_beta2: float = Field(default=0.999, gt=0, lt=1)
    """AdamW second-moment decay."""
    max_grad_norm: float = Field(default=1.0, gt=0)
    """Gradients are clipped to this norm."""
    gradient_checkpointing: bool = True
    """Recompute activations in the backward pass: less memory, about a third more time."""
    save_steps: int = Field(default=50, ge=1)
    """Optimiser steps between checkpoints; a run that is killed resumes from the last one."""
    logging_steps: int = Field(default=1, ge=1)
    """Optimiser steps between rows of metrics."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Any other option of TRL's own configuration class, checked against the installed version."""


class SFT(Training):
    """Supervised fine-tuning on reasoning traces (TRL `SFTTrainer`)."""

    packing: Literal["auto", True, False] = "auto"
    """Pack several examples into one sequence. `auto`: where `backend.attention` keeps them apart."""


class Phase(Group):
    """One GRPO phase; unset values are those of the `grpo` group and of `context`."""

    steps: int = Field(ge=1)
    """Optimiser steps of this phase."""
    context_total: int | None = Field(default=None, ge=32)
    """Token budget of this phase."""
    learning_rate: float | None = Field(default=None, gt=0)
    """Learning rate of this phase."""


class GRPO(Training):
    """Group relative policy optimisation (arXiv 2402.03300; TRL `GRPOTrainer`)."""

    start_from: str | None = None
    """Id of a finished run or of an SFT artifact whose model GRPO continues, instead of this run's own SFT."""
    merge_adapter: bool = False
    """Merge the SFT adapter into the weights and start a new one, instead of continuing it; allows another rank."""
    phases: list[Phase] = Field(default_factory=list)
    """Phases run one after another, each its own artifact; empty means one phase with the values above."""
    loss_type: Literal["grpo", "bnpo", "dr_grpo", "dapo", "cispo"] = "grpo"
    """How token losses are averaged (TRL `loss_type`)."""
    scale_rewards: Literal["group", "batch", "none"] = "group"
    """What the advantage is divided by (TRL `scale_rewards`)."""
    importance_sampling_level: Literal["token", "sequence"] = "token"
    """`sequence` is GSPO (arXiv 2507.18071)."""
    beta: float = Field(default=0.0, ge=0)
    """Weight of the KL penalty against the policy GRPO starts from."""
    epsilon: float = Field(default=0.2, gt=0)
    """Lower clip range of the probability ratio."""
    epsilon_high: float | None = Field(default=None, gt=0)
    """Upper clip range; the lower one when unset (DAPO uses 0.28)."""
    num_iterations: int = Field(default=1, ge=1)
    """Optimiser passes over each generated batch."""
    temperature: float = Field(default=1.0, gt=0)
    """Sampling temperature of the rollouts."""
    top_p: float = Field(default=1.0, gt=0, le=1)
    """Nucleus sampling of the rollouts; 1 is off."""
    mask_truncated_completions: bool = False
    """Leave completions that hit the length limit out of the loss (DAPO overlong filtering)."""
