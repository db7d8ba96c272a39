"""Weights & Biases as a view of the record: same numbers, the run's own id, nothing logged twice after a resume."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args

from exp.config.point import Point

Mode = Literal["online", "offline", "disabled"]

STATE = "wandb.json"
"""Last step logged per stage, so that steps repeated after a resume are not logged again."""
TABLE_COLUMNS = ("id", "question", "gold", "completion", "extracted", "verdict", "well_formed", "reason")
TABLE_ROWS = 64
"""Completions per stage step that go into a W&B table; all of them are on disk."""
TABLE_EVERY = 20
"""Training steps between tables."""


class WandbView:
    """A listener of the record that mirrors it to one W&B run."""

    def __init__(self, point: Point, folder: Path) -> None:
        import wandb

        tracker = point.tracker
        self._file = folder / STATE
        self._logged: dict[str, int] = json.loads(self._file.read_text()) if self._file.exists() else {}
        os.environ.setdefault("WANDB_SILENT", "true")
        self._run = wandb.init(
            project=tracker.project,
            entity=tracker.entity,
            group=tracker.group,
            name=folder.name,
            id=folder.name[-63:],
            resume="allow",
            dir=str(folder),
            mode=choose_mode(tracker.mode),
            config=point.model_dump(mode="json"),
            settings=wandb.Settings(console="off"),
        )
        self._tables: dict[str, int] = {}

    def started(self, stage: str, total: int, done: int) -> None:
        self._run.define_metric(f"{stage}/step")
        self._run.define_metric(f"{stage}/*", step_metric=f"{stage}/step")

    def progress(self, stage: str, done: int) -> None:
        """Nothing: progress is for terminals."""

    def metrics(self, row: dict[str, Any]) -> None:
        stage, step = row["stage"], row["step"]
        if step <= self._logged.get(stage, -1):
            return
        self._run.log({f"{stage}/{name}": value for name, value in row.items() if name not in ("stage", "time")})
        self._logged[stage] = step
        self._file.write_text(json.dumps(self._logged))

    def completions(self, stage: str, rows: Sequence[dict[str, Any]]) -> None:
        step = int(rows[0].get("step", rows[0].get("batch", 0))) if rows else 0
        if not rows or step % TABLE_EVERY or step <= self._logged.get(f"{stage}/table", -1):
            return
        import wandb

        columns: list[str | int] = [
            "id",
            "question",
            "gold",
            "completion",
            "extracted",
            "verdict",
            "well_formed",
            "reason",
        ]
        table = wandb.Table(columns=columns, data=[[str(row[str(c)]) for c in columns] for row in rows[:TABLE_ROWS]])
        self._run.log({f"{stage}/completions": table})
        self._logged[f"{stage}/table"] = step

    def ended(self, stage: str, reused: bool, seconds: float) -> None:
        self._run.summary[f"{stage}/seconds"] = round(seconds, 1)

    def say(self, text: str) -> None:
        """Nothing: remarks are for terminals."""

    def result(self, content: dict[str, Any]) -> None:
        """The run's result as the W&B summary."""
        for model, facts in content["eval"].items():
            for name in ("accuracy", "format_rate", "truncated_rate", "mean_tokens"):
                self._run.summary[f"eval/{model}/{name}"] = facts[name]

    def close(self) -> None:
        """Flush and end the W&B run."""
        self._run.finish()


def choose_mode(wish: str) -> Mode:
    """As wished; for `auto` what WANDB_MODE says, else online where a key is found and offline where none is."""
    asked = wish if wish != "auto" else os.environ.get("WANDB_MODE")
    if asked in get_args(Mode):
        return cast(Mode, asked)
    return "online" if os.environ.get("WANDB_API_KEY") or _key_in_netrc() else "offline"


def _key_in_netrc() -> bool:
    import netrc

    file = Path(os.environ.get("NETRC", "~/.netrc")).expanduser()
    if not file.exists():
        return False
    try:
        return any("wandb" in host for host in netrc.netrc(file).hosts)
    except netrc.NetrcParseError as error:
        print(f"{file} cannot be read ({error}); W&B stays offline", file=sys.stderr)
        return False
