"""From sources to prepared rows: read as a stream, checked one by one, counted, written as Parquet.

Nothing is dropped silently: every row that does not make it stands in dropped.jsonl with its reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exp.config.contracts import Context, Format
from exp.config.dataset import Dataset
from exp.data.heldout import EvalQuestions, hold_out
from exp.data.preparation import Preparation, Progress
from exp.data.prompts import PromptBuilder
from exp.data.sources import Opened, open_source
from exp.errors import Problem, Refused

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

USES = ("eval", "rl", "sft")  # evaluation first: its questions are then kept out of the others


def prepare(
    dataset: Dataset,
    fmt: Format,
    context: Context,
    tokenizer: PreTrainedTokenizerBase,
    template_options: Mapping[str, Any],
    seed: int,
    folder: Path,
    *,
    uses: tuple[str, ...] = USES,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write eval.parquet and those of rl.parquet and sft.parquet that are in `uses`, report.json and dropped.jsonl.

    The evaluation questions are always read, so that training never sees them. Returns the report: by use the rows
    read and kept, dropped by reason with examples, token lengths before cutting, the smallest budgets that keep 95 and
    99 %, the share cut, and the overlap with the evaluation questions. Raises `Refused` if a source is missing or
    unreadable, or if a use is left without rows.
    """
    builder = PromptBuilder(tokenizer, fmt, dict(template_options))
    opened = open_all(dataset, uses)
    held_out = hold_out(dataset, opened["eval"])
    folder.mkdir(parents=True, exist_ok=True)
    report: dict[str, Any] = {"template_hash": builder.template_hash, "opened": builder.opened, "uses": {}}
    evaluated = EvalQuestions()
    with (folder / "dropped.jsonl").open("w", encoding="utf-8") as dropped:
        for use in opened:
            preparation = Preparation(use, dataset, fmt, context, builder, held_out, evaluated)
            rows_seed = dataset.holdout_seed if use == "eval" else seed
            report["uses"][use] = preparation.run(opened[use], rows_seed, folder, dropped, progress)
    text = json.dumps(report, indent=2, ensure_ascii=False)
    (folder / "report.json").write_text(text + "\n", encoding="utf-8")
    return report


def open_all(dataset: Dataset, uses: tuple[str, ...]) -> dict[str, Opened]:
    """The sources of `uses` and of evaluation, located; reads no row. Raises `Refused` with all that is wrong."""
    opened: dict[str, Opened] = {}
    problems: list[Problem] = []
    for use in (use for use in USES if use == "eval" or use in uses):
        try:
            opened[use] = open_source(dataset, use)
        except Refused as refused:  # collected, so that the user sees all of them at once
            problems += refused.problems
    if problems:
        raise Refused(*dict.fromkeys(problems))
    return opened
