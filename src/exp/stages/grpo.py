"""The GRPO stage: TRL's GRPOTrainer with our rewards, continuing the SFT policy, proofs before it counts as done."""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm
from pathlib import Path
from typing import Any

from exp.contract.batch import Batch, split_batch
from exp.contract.context import lengths
from exp.data.storage import rows_file
from exp.errors import refuse
from exp.models.policy import hand_off, load_policy, new_adapter
from exp.models.proofs import probe, require_same, require_trainable
from exp.stages.plan import Step, phase_context, phases
from exp.stages.policies import TOLERANCE, finish, policy_of, probe_ids
from exp.stages.run import Run
from exp.stages.scoring import Scorer

DROPPED = ("profiling/", "rewards/truth/", "sampling/")


def run_grpo(run: Run, step: Step, folder: Path) -> dict[str, Any]:
    """Train one phase on the questions of the data artifact; returns the facts kept in the manifest.

    Raises `Interrupted` after saving where a signal asked for it, and `Refused` where a hand-off fails its proofs.
    """
    from trl import GRPOConfig, GRPOTrainer

    from exp.stages.training import Follow, train

    point = run.point
    policy = policy_of(run, step.inputs["model"])
    # Later phases continue whatever the first one made; only the hand-off from SFT can change the adapter.
    start = hand_off(policy, point.lora, point.grpo.merge_adapter and not step.variant)
    model = load_policy(start, point.model, point.backend, trainable=True)
    step_0 = (
        require_same(policy.facts["probe"], probe(model, probe_ids(run)), TOLERANCE, "the loaded policy")
        if policy.facts
        else 0.0
    )
    if point.lora.rank and not start.adapter:
        model = new_adapter(model, point.lora, point.seed)
    trainable = require_trainable(model)
    model.generation_config.eos_token_id = run.prompts.stop_ids
    rows = questions(run, step, folder)
    batch = split_batch(
        point.grpo.batch_size, point.grpo.micro_batch_size, point.world_size, point.generations.num_generations
    )
    every = lcm(point.grpo.num_iterations, point.grpo.logging_steps)
    follow = Follow(run, step.name, folder, rename, every)
    scorer = Scorer(run, step.name, folder)
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=scorer.functions(),
        args=GRPOConfig(**grpo_options(run, step, folder, batch, every), reward_weights=scorer.weights()),
        train_dataset=rows,
        processing_class=run.tokenizer,
        callbacks=[follow],
    )
    train(run, trainer, follow, step.values["steps"])
    facts = {
        "trainable_parameters": trainable,
        "rows": len(rows),
        "steps": step.values["steps"],
        "batch": batch.as_dict(),
        "seconds_saving": round(follow.seconds_saving, 2),
    }
    facts |= finish(run, "grpo", trainer.model, start, folder)
    facts["proofs"]["kl_at_step_0"] = step_0
    return facts


def grpo_options(run: Run, step: Step, folder: Path, batch: Batch, every: int) -> dict[str, Any]:
    """Options of TRL's `GRPOConfig` for one phase."""
    from exp.stages.training import aligned, common_options

    group = run.point.grpo
    phase = phases(run.point)[int(step.variant or 1) - 1]
    return common_options(run, group, batch, folder) | {
        "max_steps": phase.steps,
        "learning_rate": phase.learning_rate,
        "num_generations": run.point.generations.num_generations,
        "max_completion_length": lengths(phase_context(run.point, phase)).completion,
        "chat_template_kwargs": dict(run.point.model.template_options),
        "loss_type": group.loss_type,
        "scale_rewards": group.scale_rewards,
        "importance_sampling_level": group.importance_sampling_level,
        "beta": group.beta,
        "epsilon": group.epsilon,
        "epsilon_high": group.epsilon_high,
        "num_iterations": group.num_iterations,
        "temperature": group.temperature,
        "top_p": group.top_p,
        "mask_truncated_completions": group.mask_truncated_completions,
        "save_steps": aligned(group.save_steps, every),
        **group.extra,
    }


def questions(run: Run, step: Step, folder: Path) -> Any:
    """The prepared questions whose prompts fit the phase, as a memory-mapped dataset. Raises `Refused` if none does."""
    from datasets import Dataset

    data = run.store.root / "data" / step.inputs["data"]
    rows = Dataset.from_parquet(str(rows_file(data, "rl")), cache_dir=str(folder / "cache"))
    limit = lengths(phase_context(run.point, phases(run.point)[int(step.variant or 1) - 1])).prompt
    fitting = [i for i, tokens in enumerate(rows["prompt_tokens"]) if tokens <= limit]
    if not fitting:
        raise refuse(
            f"no prompt fits into {limit} tokens",
            "grpo.phases",
            f"context_total of at least {2 * min(rows['prompt_tokens'])}",
        )
    if len(fitting) < len(rows):
        run.record.say(
            f"{step.name}: {len(rows) - len(fitting)} of {len(rows)} questions are longer than {limit} tokens and wait"
        )
    return rows.select(fitting)


def rename(logs: Mapping[str, float | None]) -> dict[str, float]:
    """TRL's names for GRPO metrics to ours: `rewards/NAME`, `truth`; timings and sampling internals are left out."""
    renamed = {}
    for name, value in logs.items():
        if value is None:
            continue
        if name == "rewards/truth/mean":
            renamed["truth"] = float(value)
        elif not name.startswith(DROPPED):
            renamed[name.removesuffix("/mean") if name.startswith("rewards/") else name] = float(value)
    return renamed
