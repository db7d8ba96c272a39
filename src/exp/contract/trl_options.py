"""Which options the installed TRL takes, read from its source without importing it; what is wrong with an `extra:`."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from exp.errors import Problem, nearest

CLASSES = {
    "sft": ("SFTConfig", "trl", "trainer/sft_config.py"),
    "grpo": ("GRPOConfig", "trl", "trainer/grpo_config.py"),
}
PARENT = ("TrainingArguments", "transformers", "training_args.py")

OWNED = {
    "learning_rate": "learning_rate",
    "max_steps": "steps",
    "num_train_epochs": "epochs",
    "per_device_train_batch_size": "micro_batch_size",
    "lr_scheduler_type": "schedule",
    "warmup_steps": "warmup_steps",
    "weight_decay": "weight_decay",
    "adam_beta2": "adam_beta2",
    "max_grad_norm": "max_grad_norm",
    "gradient_checkpointing": "gradient_checkpointing",
    "save_steps": "save_steps",
    "logging_steps": "logging_steps",
    "packing": "packing",
    "loss_type": "loss_type",
    "scale_rewards": "scale_rewards",
    "importance_sampling_level": "importance_sampling_level",
    "beta": "beta",
    "epsilon": "epsilon",
    "epsilon_high": "epsilon_high",
    "num_iterations": "num_iterations",
    "temperature": "temperature",
    "top_p": "top_p",
    "mask_truncated_completions": "mask_truncated_completions",
}
"""TRL options that have a field of their own in the group, by that field's name."""

DERIVED = {
    "gradient_accumulation_steps": "batch_size and micro_batch_size",
    "num_generations": "generations.num_generations",
    "max_completion_length": "context.total",
    "max_length": "context.total",
    "seed": "seed",
    "data_seed": "seed",
    "chat_template_kwargs": "model.template_options",
    "reward_weights": "reward.components",
    "generation_batch_size": "grpo.batch_size",
    "steps_per_generation": "grpo.batch_size",
}
"""TRL options that follow from another part of the configuration."""

REFUSED = (
    "output_dir",
    "report_to",
    "save_strategy",
    "disable_tqdm",
    "remove_unused_columns",
    "completion_only_loss",
    "trust_remote_code",
    "push_to_hub",
)
"""TRL options that would break what this package promises."""


def extra_problems(group: str, extra: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with the keys of `sft.extra` or `grpo.extra`; nothing is read from disk if it is empty."""
    found = []
    for key in extra:
        where = f"{group}.extra.{key}"
        if key in DERIVED:
            found.append(Problem("follows from another setting", where, f"set {DERIVED[key]} instead", "extra"))
        elif key in OWNED and OWNED[key] in _fields_of(group):
            found.append(Problem("has a field of its own", where, f"{group}.{OWNED[key]}={extra[key]}", "extra"))
        elif key in REFUSED:
            found.append(Problem("is set by this package and cannot be passed through", where, "leave it out", "extra"))
        elif key not in trl_options(group):
            close = nearest(key, sorted(trl_options(group)))
            name = CLASSES[group][0]
            found.append(
                Problem(
                    f"is no option of the installed {name}",
                    where,
                    f"{group}.extra.{close}=..." if close else "",
                    "extra",
                )
            )
    return found


@cache
def trl_options(group: str) -> frozenset[str]:
    """Names of all options of the installed `SFTConfig` or `GRPOConfig`, inherited ones included."""
    return frozenset(_annotated(*CLASSES[group]) | _annotated(*PARENT))


def _fields_of(group: str) -> set[str]:
    from exp.config.training import GRPO, SFT

    return set((SFT if group == "sft" else GRPO).model_fields)


def _annotated(name: str, package: str, file: str) -> set[str]:
    spec = importlib.util.find_spec(package)
    assert spec and spec.submodule_search_locations, f"{package} is a dependency of this package"
    tree = ast.parse((Path(spec.submodule_search_locations[0]) / file).read_text())
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    return {node.target.id for node in body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
