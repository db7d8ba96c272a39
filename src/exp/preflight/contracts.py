"""Cross-field rules of a point that need neither model nor data: stages, batches, lengths, reward, other options."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace

from exp.config.point import PACKING_ATTENTION, Point
from exp.config.training import Phase
from exp.contract.batch import batch_problems
from exp.contract.context import lengths
from exp.contract.trl_options import extra_problems
from exp.errors import Problem, Refused
from exp.rewards.library import problems as reward_problems
from exp.rewards.verify import check_kind
from exp.stages.scoring import TRUTH


def require_contracts(point: Point) -> None:
    """Raise `Refused` with every problem of the point."""
    found = contract_problems(point)
    if found:
        raise Refused(*found)


def contract_problems(point: Point) -> list[Problem]:
    """Every broken rule, in the order a reader would meet the settings."""
    return [
        *_stage_problems(point),
        *_sft_problems(point),
        *_grpo_problems(point),
        *_eval_problems(point),
        *_context_problems(point),
        *_device_problems(point),
        *_verifier_problems(point),
        *reward_problems(point.reward),
    ]


def _stage_problems(point: Point) -> list[Problem]:
    if point.sft.enabled or point.grpo.enabled or point.eval.enabled:
        return []
    return [
        Problem(
            "all stages are switched off",
            "sft, grpo, eval",
            "leave out one of sft=none, grpo=none, eval=none",
            "stages",
        )
    ]


def _sft_problems(point: Point) -> list[Problem]:
    if not point.sft.enabled:
        return []
    found = batch_problems("sft", point.sft.batch_size, point.world_size)
    if point.sft.steps == 0:
        found.append(Problem("no steps would train nothing", "sft.steps", "sft.steps=-1", "steps"))
    if point.packing and point.backend.attention not in PACKING_ATTENTION:
        found.append(
            Problem(
                "packed examples would attend to each other with this attention implementation",
                "sft.packing",
                "sft.packing=false, or backend.attention=flash_attention_2 on a GPU that has it",
                "packing",
            )
        )
    return found + extra_problems("sft", point.sft.extra)


def _grpo_problems(point: Point) -> list[Problem]:
    if not point.grpo.enabled:
        return []
    found = batch_problems("grpo", point.grpo.batch_size, point.world_size, point.generations.num_generations)
    if point.grpo.steps < 1 and not point.grpo.phases:
        found.append(Problem("GRPO needs a number of steps", "grpo.steps", "grpo.steps=250", "steps"))
    if point.grpo.start_from and point.sft.enabled:
        what = "GRPO would start from another run while this run trains its own SFT model"
        found.append(Problem(what, "grpo.start_from", "add sft=none", "start"))
    return found + extra_problems("grpo", point.grpo.extra)


def _eval_problems(point: Point) -> list[Problem]:
    if not point.eval.enabled or point.eval.greedy or point.eval.samples:
        return []
    what = "evaluation would generate neither greedy nor sampled completions"
    return [Problem(what, "eval.greedy and eval.samples", "eval.greedy=true, or eval=none", "eval")]


def _context_problems(point: Point) -> list[Problem]:
    longest = point.model.architecture.max_positions
    found = []
    if point.context.total > longest:
        what = f"{point.context.total} tokens are more than the model's {longest} positions"
        found.append(Problem(what, "context.total", f"context.total={longest}", "context"))
    totals = [phase.context_total or 0 for phase in point.grpo.phases if point.grpo.enabled]
    if too_long := [total for total in totals if total > longest]:
        what = f"phases of {', '.join(map(str, too_long))} tokens are longer than the model's {longest} positions"
        found.append(Problem(what, "grpo.phases", _shortened(point.grpo.phases, longest), "context"))
    if lengths(point.context).completion < 8:
        share = "context.prompt_share=0.5"
        found.append(
            Problem("fewer than 8 tokens are left for the completion", "context.prompt_share", share, "context")
        )
    return found


def _shortened(phases: list[Phase], longest: int) -> str:
    """The override that keeps every phase within the model's positions."""
    values = [phase.model_dump(exclude_none=True) for phase in phases]
    for phase in values:
        if "context_total" in phase:
            phase["context_total"] = min(phase["context_total"], longest)
    return shlex.quote("grpo.phases=" + json.dumps(values).replace('"', ""))


def _device_problems(point: Point) -> list[Problem]:
    asked = {"cluster.gpus": point.cluster.gpus, "cluster.nodes": point.cluster.nodes}
    what = "a run trains on one device; several are not supported"
    return [Problem(what, key, f"{key}=1", "devices") for key, count in asked.items() if count > 1]


def _verifier_problems(point: Point) -> list[Problem]:
    found = []
    if TRUTH in point.reward.components:
        where, fix = f"reward.components.{TRUTH}", f"reward.components.my_{TRUTH}.function=..."
        found.append(
            Problem(f"{TRUTH!r} is the name of the strict verdict logged beside every reward", where, fix, "reward")
        )
    uses = {"sft": point.sft.enabled, "rl": point.grpo.enabled, "eval": point.eval.enabled}
    kinds = {f"dataset.{use}.kind": getattr(point.dataset, use) for use, wanted in uses.items() if wanted}
    named = {key: source.kind for key, source in kinds.items() if source}
    for key, kind in named.items():
        try:
            check_kind(kind or "exact")
        except Refused as refused:  # collected with the problems of other rules
            found += [replace(p, where=key, fix=p.fix.replace("reward.verifier", key)) for p in refused.problems]
    return found
