"""Weights & Biases as a view of the record: same numbers, an id that follows from the run, nothing logged twice.

W&B may fail at any time (no network, no disk, a dead helper process); the run must not. The first failure ends the view
with one remark, and `metrics.jsonl` goes on.
"""

from __future__ import annotations

import json
import netrc
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args

from exp.config.point import Point

Mode = Literal["online", "offline", "disabled"]

STATE = "wandb.json"
"""Last step logged per stage, so that steps repeated after a resume are not logged again, and the count of all logs."""
TABLE_COLUMNS = ("id", "question", "gold", "completion", "extracted", "verdict", "well_formed", "reason")
TABLE_ROWS = 64
"""Completions that go into one W&B table; all of them are on disk."""
TABLE_EVERY = 20
"""Training steps between tables."""
COUNT = "logs"


class WandbView:
    """A listener of the record that mirrors it to one W&B run. `say` is told when W&B fails."""

    def __init__(self, point: Point, folder: Path, say: Callable[[str], None] = print) -> None:
        self._file = folder / STATE
        self._state: dict[str, int] = json.loads(self._file.read_text()) if self._file.exists() else {}
        self._say = say
        self._run: Any = None
        self._alive = True
        self._try(lambda: self._open(point, folder))

    def _open(self, point: Point, folder: Path) -> None:
        import wandb

        tracker, mode = point.tracker, choose_mode(point.tracker.mode)
        os.environ.setdefault("WANDB_SILENT", "true")
        self._run = wandb.init(
            project=tracker.project,
            entity=tracker.entity,
            group=tracker.group,
            name=folder.name,
            id=folder.name[-63:],
            resume="allow",
            dir=str(folder),
            mode=mode,
            config=point.model_dump(mode="json"),
            settings=wandb.Settings(console="off"),
        )
        if mode == "offline":
            self._say(f"W&B is offline; upload later with: wandb sync {folder / 'wandb'}/offline-run-*")

    def started(self, stage: str, total: int, done: int) -> None:
        """Give the stage's metrics their own step axis."""

        def define() -> None:
            self._run.define_metric(f"{stage}/step")
            self._run.define_metric(f"{stage}/*", step_metric=f"{stage}/step")

        self._try(define)

    def progress(self, stage: str, done: int) -> None:
        """Nothing: progress is for terminals."""

    def metrics(self, row: dict[str, Any]) -> None:
        """Log a row unless its step was logged before the run was resumed."""
        stage, step = row["stage"], row["step"]
        if step > self._state.get(stage, -1):
            values = {f"{stage}/{name}": value for name, value in row.items() if name not in ("stage", "time")}
            self._try(lambda: self._log(values, stage, step))

    def completions(self, stage: str, rows: Sequence[dict[str, Any]]) -> None:
        """Log a table of the first completions of every twentieth step, and of every evaluation batch."""
        step = int(rows[0].get("step", 0)) if rows else 0
        if not rows or step % TABLE_EVERY or 0 < step <= self._state.get(f"{stage}/table", -1):
            return

        def table() -> None:
            import wandb

            data = [[str(row[name]) for name in TABLE_COLUMNS] for row in rows[:TABLE_ROWS]]
            content = wandb.Table(columns=list(TABLE_COLUMNS), data=data)
            self._log({f"{stage}/completions": content}, f"{stage}/table", step)

        self._try(table)

    def ended(self, stage: str, reused: bool, seconds: float) -> None:
        """Put the stage's time into the summary."""
        self._try(lambda: self._run.summary.update({f"{stage}/seconds": round(seconds, 1)}))

    def say(self, text: str) -> None:
        """Nothing: remarks are for terminals."""

    def alert(self, title: str, text: str, urgent: bool) -> None:
        """Send a W&B alert, which reaches people by mail or chat as they have set it up."""
        level = "WARN" if urgent else "INFO"
        self._try(lambda: self._run.alert(title=title, text=text, level=level))

    def result(self, content: dict[str, Any]) -> None:
        """Put the run's result into the summary."""
        names = ("accuracy", "format_rate", "truncated_rate", "mean_tokens")
        facts = {f"eval/{model}/{name}": found[name] for model, found in content["eval"].items() for name in names}
        self._try(lambda: self._run.summary.update(facts))

    def close(self) -> None:
        """Flush and end the W&B run."""
        self._try(lambda: self._run.finish())
        self._alive = False

    def _log(self, values: dict[str, Any], key: str, step: int) -> None:
        # An explicit, ever growing step: the parts of a run that was resumed offline join without overlap when synced.
        count = self._state.get(COUNT, 0) + 1
        self._run.log(values, step=count)
        self._state |= {key: step, COUNT: count}
        temporary = self._file.with_suffix(".new")
        temporary.write_text(json.dumps(self._state))
        temporary.replace(self._file)

    def _try(self, action: Callable[[], None]) -> None:
        if not self._alive:
            return
        try:
            action()
        except Exception as error:  # whatever fails in W&B, training goes on
            self._alive = False
            self._say(f"W&B failed ({type(error).__name__}: {error}); the run goes on, metrics.jsonl has everything")


def choose_mode(wish: str) -> Mode:
    """As wished; for `auto` what WANDB_MODE says, else online where a key is found and offline where none is."""
    asked = wish if wish != "auto" else os.environ.get("WANDB_MODE")
    if asked in get_args(Mode):
        return cast(Mode, asked)
    return "online" if os.environ.get("WANDB_API_KEY") or _key_in_netrc() else "offline"


def _key_in_netrc() -> bool:
    file = Path(os.environ.get("NETRC", "~/.netrc")).expanduser()
    if not file.exists():
        return False
    try:
        return any("wandb" in host for host in netrc.netrc(file).hosts)
    except netrc.NetrcParseError:
        # A file that cannot be read holds no key that W&B could use either.
        return False
