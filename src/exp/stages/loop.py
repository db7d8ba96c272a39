"""The loop that runs the steps of a point: what is in the store is reused, what is missing is made, in order."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from exp.stages.audit import audit_reward
from exp.stages.plan import Step
from exp.stages.run import Run
from exp.stages.store import Artifact

Build = Callable[[Run, Step, Path], dict[str, Any]]


def run_steps(run: Run, steps: Sequence[Step], finished: Callable[[Step, Artifact], None]) -> None:
    """Obtain the artifact of every step and call `finished` after each. Raises whatever a stage raises."""
    for step in steps:
        run.stopper.check()
        started = time.time()

        def build(folder: Path, step: Step = step) -> dict[str, Any]:
            _link(run, step, folder)
            return _code(step.stage)(run, step, folder)

        artifact = run.store.obtain(step.stage, step.identity, step.inputs, step.values, build)
        _link(run, step, artifact.folder)
        if artifact.reused:
            run.record.resumed(step.name, artifact.folder, 0)
        if step.name == "data:rl":
            audit_reward(run, artifact.folder)
        run.record.ended(step.name, artifact.reused, time.time() - started)
        finished(step, artifact)


def _code(stage: str) -> Build:
    """The function of a stage; imported only when it runs, since trainers take seconds to import."""
    if stage == "data":
        from exp.stages.data import run_data

        return run_data
    if stage == "sft":
        from exp.stages.sft import run_sft

        return run_sft
    if stage == "grpo":
        from exp.stages.grpo import run_grpo

        return run_grpo
    from exp.stages.evaluate import run_eval

    return run_eval


def _link(run: Run, step: Step, target: Path) -> None:
    """Point `artifacts/NAME` of the run folder at the artifact, and `completions/` or `eval/` at its completions."""
    name = step.name.replace(":", "_")
    _symlink(run.folder / "artifacts" / name, target)
    if step.stage == "eval":
        _symlink(run.folder / "eval" / f"{step.variant}.jsonl", target / "completions.jsonl")
    elif step.stage == "grpo":
        _symlink(run.folder / "completions" / f"{name}.jsonl", target / "completions.jsonl")


def _symlink(link: Path, target: Path) -> None:
    """A relative link, replaced in one step if it exists."""
    link.parent.mkdir(exist_ok=True)
    temporary = link.with_name(f".{link.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(os.path.relpath(target, link.parent))
    temporary.replace(link)
