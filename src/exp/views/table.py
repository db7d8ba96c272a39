"""The end-of-run table: base, SFT and GRPO side by side, for a terminal or, tab-separated, for a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from exp.views.report_words import LABELS, cautions, duration, headline, interval, percent

HEADINGS = ("model", "accuracy", "sampled", "format", "cut off", "tokens", "time")
_PIPED = (
    "model",
    "accuracy",
    "ci95_low",
    "ci95_high",
    "sampled",
    "format_rate",
    "truncated_rate",
    "mean_tokens",
    "seconds",
)


def print_result(result: dict[str, Any], console: Console) -> None:
    """Print the evaluations of `result` (the content of result.json).

    A terminal gets a table with rounded numbers, the outcome in a sentence and what to beware of. Anything else gets
    a header and one line per model, tab-separated, shares between 0 and 1 with full precision, absent values empty.
    """
    measured = result.get("eval", {})
    if not console.is_terminal:
        console.file.write(tab_separated(measured))
        return
    if measured:
        table = Table(*HEADINGS, header_style="bold")
        for column in table.columns[1:]:
            column.justify = "right"
        for name, model in measured.items():
            table.add_row(*table_row(name, model))
        console.print(table)
    console.print(headline(result), markup=False, highlight=False, style="bold")
    for caution in cautions(result):
        console.print(caution, markup=False, highlight=False, style="yellow")


def table_row(name: str, model: dict[str, Any]) -> tuple[str, ...]:
    """The cells under `HEADINGS` for one evaluated model."""
    sampled = model.get("sampled")
    return (
        LABELS[name],
        f"{percent(model['accuracy'])} {interval(model['ci95'])}",
        f"{percent(sampled['accuracy'])} {interval(sampled['ci95'])}" if sampled else "–",
        percent(model["format_rate"]),
        percent(model["truncated_rate"]),
        f"{model['mean_tokens']:,.0f}",
        duration(model["seconds"]),
    )


def tab_separated(measured: dict[str, Any]) -> str:
    """The evaluations as tab-separated lines under a header."""
    lines = ["\t".join(_PIPED)]
    for name, model in measured.items():
        sampled = model.get("sampled")
        cells: Sequence[Any] = (
            name,
            model["accuracy"],
            *model["ci95"],
            sampled["accuracy"] if sampled else "",
            *(model[key] for key in _PIPED[5:]),
        )
        lines.append("\t".join(map(str, cells)))
    return "\n".join(lines) + "\n"
