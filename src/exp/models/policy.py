"""What a stage hands to the next: base weights, adapters merged into them, and an adapter or full weights on top."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exp.config.contracts import Backend, Lora
from exp.config.model import Model
from exp.errors import refuse
from exp.models.load import load_base
from exp.models.source import Source

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel

DESCRIPTION = "policy.json"


@dataclass(frozen=True)
class Policy:
    """A model as a list of folders; nothing is loaded yet."""

    base: Source
    merged: tuple[Path, ...] = ()
    """Adapter folders whose updates are part of the weights, oldest first."""
    adapter: Path | None = None
    """Adapter folder on top."""
    weights: Path | None = None
    """Folder of full weights that replaces the base and everything merged into it."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What the stage that made it recorded: tags, template hash, rank, dtype, probe."""

    @property
    def rank(self) -> int:
        """Rank of the adapter on top, 0 if there is none."""
        return int(self.facts.get("rank", 0)) if self.adapter else 0


def hand_off(policy: Policy, lora: Lora, merge: bool) -> Policy:
    """The policy that the next training stage starts from: its adapter continued, or merged so that a new one starts.

    Raises `Refused` where the next stage wants another rank than the adapter has and merging was not asked for.
    """
    if not policy.adapter:
        return policy
    if merge or not lora.rank:
        return replace(policy, merged=(*policy.merged, policy.adapter), adapter=None)
    if lora.rank != policy.rank:
        raise refuse(
            f"GRPO would continue an adapter of rank {policy.rank} with rank {lora.rank}",
            "lora.rank",
            f"lora.rank={policy.rank} to continue it, or grpo.merge_adapter=true to merge it and start a new one",
        )
    return policy


def load_policy(policy: Policy, model: Model, backend: Backend, trainable: bool = False) -> Any:
    """Load the policy on the CPU. With `trainable` the adapter on top can be trained further."""
    from peft import PeftModel

    source = replace(policy.base, location=str(policy.weights), revision=None) if policy.weights else policy.base
    loaded: Any = load_base(source, model, backend)
    for folder in policy.merged:
        loaded = PeftModel.from_pretrained(loaded, folder).merge_and_unload()
    if policy.adapter:
        loaded = PeftModel.from_pretrained(loaded, policy.adapter, is_trainable=trainable)
    return loaded


def new_adapter(model: PreTrainedModel, lora: Lora, seed: int) -> PeftModel:
    """Put a fresh LoRA adapter on a model; its update is zero (arXiv 2106.09685), its initialisation follows `seed`."""
    import torch
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(seed)
    config = LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=lora.target_modules,
        use_rslora=lora.rank_stabilized,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)


def save_policy(model: PreTrainedModel | PeftModel, start: Policy, folder: Path, facts: dict[str, Any]) -> None:
    """Write what training changed into `folder`, and how to load it.

    `adapter/` or `weights/` hold safetensors; `policy.json` names what lies below them, with `facts`.
    """
    from peft import PeftModel

    is_adapter = isinstance(model, PeftModel)
    model.save_pretrained(str(folder / ("adapter" if is_adapter else "weights")), safe_serialization=True)
    merged = [os.path.relpath(f, folder) for f in start.merged] if is_adapter else []
    (folder / DESCRIPTION).write_text(json.dumps({"adapter": is_adapter, "merged": merged, **facts}, indent=1))


def read_policy(folder: Path, base: Source) -> Policy:
    """The policy an artifact holds."""
    facts = json.loads((folder / DESCRIPTION).read_text())
    merged = tuple((folder / f).resolve() for f in facts.pop("merged"))
    if facts.pop("adapter"):
        return Policy(base, merged, adapter=folder / "adapter", facts=facts)
    return Policy(base, weights=folder / "weights", facts=facts)
