"""Cross-field rules of a point that need neither model nor data: batch, lengths, adapter, reward, pass-through
options.
"""

from __future__ import annotations

from exp.config.point import Point
from exp.contract.batch import batch_problems
from exp.contract.context import lengths
from exp.contract.trl_options import extra_problems
from exp.errors import Problem, Refused
from exp.rewards.library import problems as reward_problems
from exp.stages.plan import phases


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
        *_context_problems(point),
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
    if point.sft.packing and point.backend.attention != "flash_attention_2":
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
    if point.grpo.steps == -1 and not point.grpo.phases:
        found.append(Problem("GRPO needs a number of steps", "grpo.steps", "grpo.steps=250", "steps"))
    if point.grpo.start_from and point.sft.enabled:
        what = "GRPO would start from another run while this run trains its own SFT model"
        found.append(Problem(what, "grpo.start_from", "add sft=none", "start"))
    return found + extra_problems("grpo", point.grpo.extra)


def _context_problems(point: Point) -> list[Problem]:
    longest = point.model.architecture.max_positions
    totals = {"context.total": point.context.total}
    if point.grpo.enabled:
        totals |= {f"grpo.phases[{i}].context_total": phase.context_total or 0 for i, phase in enumerate(phases(point))}
    found = [
        Problem(
            f"{total} tokens are more than the model's {longest} positions",
            where,
            f"context.total={longest}",
            "context",
        )
        for where, total in totals.items()
        if total > longest
    ]
    if lengths(point.context).completion < 8:
        share = "context.prompt_share=0.5"
        found.append(
            Problem("fewer than 8 tokens are left for the completion", "context.prompt_share", share, "context")
        )
    return found
