"""The data stage: prepared rows for one use, with the evaluation questions beside them so that they can be kept out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from exp.data.prepare import prepare
from exp.stages.plan import Step
from exp.stages.run import Run


def run_data(run: Run, step: Step, folder: Path) -> dict[str, Any]:
    """Prepare the rows of `step.variant` (`sft`, `rl` or `eval`); the report is the artifact's facts."""
    point = run.point
    run.record.started(step.name)

    def tell(use: str, read: int, kept: int, wanted: int | None) -> None:
        run.stopper.check()
        run.record.progress(step.name, read)

    report = prepare(
        point.dataset,
        point.format,
        point.context,
        run.tokenizer,
        point.model.template_options,
        point.seed,
        folder,
        uses=tuple(dict.fromkeys(("eval", step.variant))),
        progress=tell,
    )
    run.record.say(in_words(step.variant, report["uses"][step.variant]))
    return {**report["uses"][step.variant], "template_hash": report["template_hash"], "opened": report["opened"]}


def in_words(use: str, counts: dict[str, Any]) -> str:
    """One line on what was kept, what was dropped and why, and how long the rows are."""
    lost = ", ".join(f"{facts['count']} {reason}" for reason, facts in counts["dropped"].items())
    longest = counts["tokens"]["total" if use == "sft" else "prompt"]
    lengths = f"{longest['p50']} tokens at the median, {longest['max']} at most"
    return f"  {use}: {counts['kept']} of {counts['read']} rows kept ({lost or 'none dropped'}); {lengths}"
