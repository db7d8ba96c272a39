"""Finding the artifact that `grpo.start_from` names: a run's folder or id, or `sft/identity` in the store."""

from __future__ import annotations

import json
from pathlib import Path

from exp.errors import nearest, refuse
from exp.stages.store import MANIFEST


def find_start(outputs: Path, name: str) -> tuple[str, str]:
    """Stage and identity of the model that `name` stands for: `sft/ID`, `grpo/ID`, or a run whose SFT model is meant.

    A run is named by its folder or by the folder's ending. Raises `Refused` with the nearest name where there is none,
    and where several runs fit.
    """
    stage, _, identity = name.partition("/")
    if stage in ("sft", "grpo") and identity:
        if (outputs / "store" / stage / identity / MANIFEST).exists():
            return stage, identity
        known = [f"{stage}/{f.parent.name}" for f in (outputs / "store" / stage).glob(f"*/{MANIFEST}")]
        raise _unknown(name, known)
    runs = {f.parent.name: f for f in (outputs / "runs").glob("*/result.json")}
    fitting = [run for run in runs if run == Path(name).name or run.endswith(f"-{name}")]
    if not fitting:
        raise _unknown(name, list(runs))
    if len(fitting) > 1:
        raise refuse(
            f"{name!r} fits {len(fitting)} runs: {', '.join(sorted(fitting))}",
            "grpo.start_from",
            f"grpo.start_from={sorted(fitting)[-1]}",
        )
    stages = json.loads(runs[fitting[0]].read_text())["stages"]
    trained = stages.get("sft", {})
    if trained.get("status") != "done":
        raise refuse(f"run {fitting[0]!r} has no finished SFT stage", "grpo.start_from", "grpo.start_from=RUN with one")
    return "sft", str(trained["id"])


def _unknown(name: str, known: list[str]) -> Exception:
    close = nearest(name, known)
    seen = ", ".join(sorted(known)[-5:]) or "none"
    return refuse(
        f"no finished model is called {name!r}; there are {seen}",
        "grpo.start_from",
        f"grpo.start_from={close}" if close else "",
    )
