"""Where a run is executed and recorded. None of it is part of an identity, but for the number of devices that train."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from exp.config.group import Group


class Cluster(Group):
    """Where the run is executed."""

    kind: Literal["local"] = "local"
    """`local`: in this process, in the foreground."""
    nodes: int = Field(default=1, ge=1)
    """Machines."""
    gpus: int = Field(default=1, ge=1)
    """Devices per machine, one process each; a CPU counts as one."""


class Tracker(Group):
    """Where metrics go besides `metrics.jsonl`, which is always written."""

    kind: Literal["wandb", "none"]
    """`wandb`: Weights & Biases; `none`: files only."""
    mode: Literal["auto", "online", "offline"] = "auto"
    """`auto`: online where an API key is found, else offline (upload later with `wandb sync`)."""
    project: str = "exp"
    """W&B project."""
    entity: str | None = None
    """W&B team or user; the account's default when unset."""
    group: str | None = None
    """W&B group."""
