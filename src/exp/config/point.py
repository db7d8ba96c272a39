"""A point: one fully resolved, typed configuration."""

from __future__ import annotations

from pydantic import Field

from exp.config.contracts import Backend, Context, Format, Generations, Lora
from exp.config.dataset import Dataset
from exp.config.evaluation import Engine, Eval, Reward
from exp.config.group import Group
from exp.config.model import Model
from exp.config.operation import Cluster, Tracker
from exp.config.training import GRPO, SFT

PACKING_ATTENTION = ("flash_attention_2",)
"""Attention implementations that keep the packed examples of one sequence apart."""


class Point(Group):
    """Everything a run depends on, and where it runs and is recorded."""

    model: Model
    dataset: Dataset
    format: Format
    reward: Reward
    context: Context
    lora: Lora
    generations: Generations
    sft: SFT
    grpo: GRPO
    eval: Eval
    engine: Engine
    backend: Backend
    cluster: Cluster
    tracker: Tracker
    seed: int = Field(default=0, ge=0, lt=2**31)
    """Seeds data order, adapter initialisation, rollouts and sampled evaluation."""
    label: str | None = None
    """Words for the run folder's name; made of the chosen options when unset."""
    outputs: str = "outputs"
    """Folder for runs and artifacts, relative to where the command is typed."""

    @property
    def world_size(self) -> int:
        """Devices that train together."""
        return self.cluster.nodes * self.cluster.gpus

    @property
    def packing(self) -> bool:
        """Whether SFT packs examples: as asked, or where the attention implementation keeps them apart."""
        if self.sft.packing == "auto":
            return self.backend.attention in PACKING_ATTENTION
        return self.sft.packing
