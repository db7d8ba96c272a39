"""What a monitor says: a finding, and the alert it becomes once stage and step are known; kept in `alerts.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

Severity = Literal["note", "warning"]

ALERTS = "alerts.jsonl"
SHOWN = 3
"""Sample completions kept with an alert."""
SHOWN_CHARS = 600
"""Characters of a sample: its beginning and its end."""
_SAMPLED = ("step", "id", "question", "gold", "extracted", "verdict", "tokens", "ended", "reward")


@dataclass(frozen=True)
class Finding:
    """Something wrong with a stage, as one monitor sees it."""

    what: str
    advice: str
    """What to do, with the override to paste where there is one."""
    severity: Severity = "warning"
    evidence: Mapping[str, float | str] = field(default_factory=dict)
    samples: Sequence[Mapping[str, Any]] = ()
    about: str = ""
    """Tells the findings of one monitor apart."""
    degree: float = 1.0
    """How bad it is, positive; it is said again only when this has doubled."""


@dataclass(frozen=True)
class Alert:
    """A finding in its place."""

    monitor: str
    stage: str
    step: int
    severity: Severity
    what: str
    advice: str
    evidence: dict[str, float | str]
    samples: list[dict[str, Any]]
    about: str
    degree: float

    def __str__(self) -> str:
        return f"{self.severity}, {self.stage} step {self.step}, {self.monitor}: {self.what}\n    {self.advice}"

    def as_row(self) -> dict[str, Any]:
        """A line of `alerts.jsonl`."""
        return asdict(self)


def alert_of(finding: Finding, monitor: str, stage: str, step: int) -> Alert:
    """The alert that a monitor's finding becomes."""
    return Alert(
        monitor,
        stage,
        step,
        finding.severity,
        finding.what,
        finding.advice,
        {name: round(v, 4) if isinstance(v, float) else v for name, v in finding.evidence.items()},
        [dict(sample) for sample in finding.samples[:SHOWN]],
        finding.about,
        round(finding.degree, 4),
    )


def read_alerts(folder: Path) -> list[Alert]:
    """The alerts kept in a folder of a run or a stage, oldest first; an unfinished last line is left out."""
    file = folder / ALERTS
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    return [Alert(**json.loads(line)) for line in lines if line.endswith("\n")]


def sample(row: Mapping[str, Any]) -> dict[str, Any]:
    """What an alert shows of a completion."""
    text = row["completion"]
    if len(text) > SHOWN_CHARS:
        text = f"{text[: SHOWN_CHARS // 2]} […] {text[-SHOWN_CHARS // 2 :]}"
    return {name: row[name] for name in _SAMPLED if name in row} | {"completion": text}
