"""What a person sees of a run: a bar per stage with live numbers, samples now and then; plain lines where piped."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from exp.messages import harmless
from exp.stages.plan import Step
from exp.stages.stopping import Interrupted

SHOWN = (
    ("loss", "loss", "{:.3f}"),
    ("reward", "reward", "{:.2f}"),
    ("accuracy", "right", "{:.0%}"),
    ("format", "format", "{:.0%}"),
    ("completions/mean_length", "tokens", "{:.0f}"),
    ("cut_off", "cut off", "{:.0%}"),
)
"""Metrics beside the bar: name in the record, word on the screen, form."""
COMPONENT = "rewards/"
SAMPLE_EVERY = 30.0
"""Seconds between sample completions."""
LINE_EVERY = 10.0
"""Seconds between lines where there is no terminal to redraw."""


class Terminal:
    """A listener of the record that draws on a terminal, or prints a line now and then."""

    def __init__(self, stream: IO[str], folder: Path, steps: Sequence[Step]) -> None:
        self.console = Console(file=stream, highlight=False)
        self.names = [step.name for step in steps]
        self._live = self.console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[numbers]}"),
            console=self.console,
            disable=not self._live,
        )
        self._tasks: dict[str, TaskID] = {}
        self._totals: dict[str, int] = {}
        self._numbers: dict[str, str] = {}
        self._spoken = self._sampled = time.monotonic()
        self._begun: dict[str, tuple[float, int]] = {}
        self.say(f"run folder: {folder}")
        self._progress.start()

    def started(self, stage: str, total: int, done: int) -> None:
        self._totals[stage] = total
        self._begun[stage] = (time.monotonic(), done)
        self._tasks[stage] = self._progress.add_task(stage, total=total or None, completed=done, numbers="")
        if not self._live:
            self.say(f"{stage}: {f'resumes after {done} of {total}' if done else 'starts'}")
        elif done:
            self.say(f"{stage} resumes after {done} of {total} steps")

    def progress(self, stage: str, done: int) -> None:
        self._progress.update(self._tasks[stage], completed=done)
        self._speak(stage, done)

    def metrics(self, row: dict[str, Any]) -> None:
        stage = row["stage"]
        parts = [f"{word} {form.format(row[name])}" for name, word, form in SHOWN if name in row]
        components = {name.removeprefix(COMPONENT): value for name, value in row.items() if _is_component(name)}
        if len(components) > 1:
            parts += [f"{name} {value:.2f}" for name, value in components.items()]
        self._numbers[stage] = "  ".join(parts)
        if stage in self._tasks:
            self._progress.update(self._tasks[stage], numbers=self._numbers[stage])

    def completions(self, stage: str, rows: Sequence[dict[str, Any]]) -> None:
        if rows and time.monotonic() - self._sampled > SAMPLE_EVERY:
            self._sampled = time.monotonic()
            self._show(stage, rows[len(rows) // 2])

    def ended(self, stage: str, reused: bool, seconds: float) -> None:
        if stage in self._tasks:
            task = self._tasks.pop(stage)
            self._progress.remove_task(task)
        what = "already there, reused" if reused else f"done in {_duration(seconds)}"
        numbers = self._numbers.get(stage, "")
        self.say(f"{stage:<10} {what}" + (f"   {numbers}" if numbers and not reused else ""))

    def say(self, text: str) -> None:
        """Print a line above the bars."""
        self.console.print(Text(harmless(text)), soft_wrap=True)

    def close(self) -> None:
        """Take the bars away and give the terminal back."""
        self._progress.stop()

    def interrupted(self, why: Interrupted) -> None:
        """Say that the state is saved and how to go on."""
        self.close()
        self.say(f"Stopped by {why}; everything so far is saved. The same command continues from here.")

    def failed(self, error: BaseException) -> None:
        """Say what failed and where the whole story is."""
        self.close()
        self.say(f"Failed: {type(error).__name__}: {error}")
        self.say("The traceback is in error.txt in the run folder. The same command retries from the last checkpoint.")

    def finished(self, folder: Path) -> None:
        """Say where everything is."""
        self.close()
        self.say(f"report: {folder / 'report.html'}")

    def _speak(self, stage: str, done: int) -> None:
        if self._live or time.monotonic() - self._spoken < LINE_EVERY:
            return
        self._spoken = time.monotonic()
        total = self._totals.get(stage, 0)
        began, before = self._begun[stage]
        left = (time.monotonic() - began) / max(done - before, 1) * (total - done) if total else 0.0
        of = f" of {total}, {_duration(left)} left" if total else ""
        self.say(f"{stage}: {done}{of}  {self._numbers.get(stage, '')}")

    def _show(self, stage: str, row: dict[str, Any]) -> None:
        text = Text.assemble(
            (f"{stage} sample  ", "dim"),
            harmless(row["question"][-120:]),
            (" → ", "dim"),
            harmless(row["completion"][:300]).replace("\n", "⏎"),
        )
        text.append(
            f"  [{row['verdict']}: {row['extracted']!r}, expected {row['gold']!r}]",
            style="green" if row["verdict"] == "right" else "red",
        )
        self.console.print(text, soft_wrap=True)


def _is_component(name: str) -> bool:
    return name.startswith(COMPONENT) and "/" not in name.removeprefix(COMPONENT)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = int(seconds // 60)
    return f"{minutes} min {seconds % 60:02.0f} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
