"""`result.json`: what a run found, for people's tables and other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from exp.rewards.verdict import Verdict
from exp.stages.files import read_rows
from exp.stages.plan import Step
from exp.stages.store import Artifact
from exp.statistics import paired

ORDER = ("data", "sft", "grpo", "eval")
PAIRS = (("sft", "base"), ("grpo", "sft"), ("grpo", "base"))


def result(
    run_name: str, point_id: str, finished: Sequence[tuple[Step, Artifact]], off: Sequence[str], seconds: float
) -> dict[str, Any]:
    """Stages with their identities, evaluations by model, paired comparisons, and the data's counts."""
    evaluations = {step.variant: artifact for step, artifact in finished if step.stage == "eval"}
    return {
        "run": run_name,
        "point": point_id,
        "seconds": round(seconds, 1),
        "stages": stages(finished, off),
        "eval": {
            name: artifact.manifest["facts"] | {"seconds": artifact.manifest["seconds"]}
            for name, artifact in evaluations.items()
        },
        "comparisons": comparisons({name: artifact.folder for name, artifact in evaluations.items()}),
        "data": {step.variant: artifact.manifest["facts"] for step, artifact in finished if step.stage == "data"},
    }


def stages(finished: Sequence[tuple[Step, Artifact]], off: Sequence[str]) -> dict[str, Any]:
    """Per stage its identity, seconds and status.

    `parts` holds the same of each artifact where a stage has several: data sets, phases, evaluations.
    """
    grouped: dict[str, dict[str, Any]] = {stage: {"status": "off"} for stage in off}
    for step, artifact in finished:
        part = {
            "id": artifact.identity,
            "seconds": artifact.manifest["seconds"],
            "status": "done",
            "reused": artifact.reused,
        }
        entry = grouped.setdefault(step.stage, {"parts": {}})
        entry["parts"][step.variant or "1" if step.stage == "grpo" else step.variant or step.stage] = part
    for entry in grouped.values():
        if parts := entry.get("parts"):
            last = list(parts.values())[-1]
            entry |= {
                "id": last["id"],
                "seconds": round(sum(p["seconds"] for p in parts.values()), 2),
                "status": "done",
            }
            entry["reused"] = all(p["reused"] for p in parts.values())
            if len(parts) == 1:
                del entry["parts"]
    return {stage: grouped[stage] for stage in ORDER if stage in grouped}


def comparisons(folders: dict[str, Path]) -> dict[str, Any]:
    """Paired comparisons of greedy answers: later model against earlier one, on the questions both answered."""
    found = {}
    for later, earlier in PAIRS:
        if later in folders and earlier in folders:
            first, second = _right(folders[earlier]), _right(folders[later])
            shared = [q for q in first if q in second]
            if shared:
                found[f"{later}_vs_{earlier}"] = asdict(
                    paired([first[q] for q in shared], [second[q] for q in shared])
                ) | {"n": len(shared)}
    return found


def _right(folder: Path) -> dict[str, bool]:
    rows = read_rows(folder / "completions.jsonl")
    return {row["id"]: row["verdict"] == Verdict.RIGHT for row in rows if row["mode"] == "greedy"}
