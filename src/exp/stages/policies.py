"""From a stage's artifact to the policy it holds and back, with the proofs before a policy is handed on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from exp.errors import refuse
from exp.models.policy import Policy, read_policy, save_policy
from exp.models.proofs import divergence, probe, require_adapter_matters, require_saved
from exp.stages.run import Run

PROBE_QUESTION = "2+2=?"
NOTHING_LEARNT = {
    "sft": "raise sft.learning_rate or sft.steps",
    "grpo": "look at reward and frac_reward_zero_std in metrics.jsonl: where all rewards of a group are equal, nothing "
    "is learnt; train SFT longer, take easier questions, or raise grpo.steps",
}
TOLERANCE = 1e-3
"""Largest divergence in nats between a policy as saved and as loaded again; float32 on one machine gives 0."""


def policy_of(run: Run, model: str) -> Policy:
    """The policy behind `stage/identity` as it stands in a step's inputs; `base/…` is the base model."""
    stage, _, identity = model.partition("/")
    return Policy(run.base) if stage == "base" else read_policy(run.store.root / stage / identity, run.base)


def probe_ids(run: Run) -> list[int]:
    """Tokens of the fixed prompt on which policies are compared."""
    return run.prompts.prompt_ids(run.prompts.messages(PROBE_QUESTION))


def finish(run: Run, stage: str, model: Any, start: Policy, folder: Path) -> dict[str, Any]:
    """Save what training changed, prove that it was saved and matters, and remove what only resuming needs.

    Raises `Refused` if the trained model does not differ from the one the stage started from, or if what was saved is
    not what was trained.
    """
    from peft import PeftModel

    from exp.models.policy import load_policy

    ids = probe_ids(run)
    trained = probe(model, ids)
    before = start.facts.get("probe") or probe(load_policy(start, run.point.model, run.point.backend), ids)
    change = divergence(before, trained)
    if trained == before:
        what = f"{stage} changed nothing: the model answers exactly as before"
        raise refuse(what, stage, NOTHING_LEARNT[stage])
    proofs = {"kl_from_start": change}
    if isinstance(model, PeftModel):
        proofs["adapter_effect"] = require_adapter_matters(model, ids)
    facts = {
        "rank": run.point.lora.rank,
        "dtype": str(next(model.parameters()).dtype).removeprefix("torch."),
        "base": run.base.identity,
        "template_hash": run.prompts.template_hash,
        "format": run.point.format.model_dump(mode="json"),
        "probe": trained,
    }
    save_policy(model, start, folder, facts)
    require_saved(model, folder / ("adapter" if isinstance(model, PeftModel) else "weights"))
    if not isinstance(model, PeftModel):
        run.tokenizer.save_pretrained(folder / "weights")
    for leftover in ("checkpoints", "cache"):
        shutil.rmtree(folder / leftover, ignore_errors=True)
    return {"proofs": proofs}
