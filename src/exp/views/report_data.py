"""Everything the report of a run shows, gathered from the files of its folder; an absent file leaves its part out."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from exp.errors import refuse
from exp.monitors.alert import read_alerts
from exp.views.report_curves import curves
from exp.views.report_rows import GREEDY, ROLLOUTS, SAMPLED, Budget, Row, read_rows, select
from exp.views.report_words import LABELS, cautions, comparison, duration, headline
from exp.views.table import HEADINGS, table_row

_TEXTS = (("Configuration", "config.yaml"), ("Overrides", "overrides.txt"))


def gather(run_folder: Path) -> dict[str, Any]:
    """The report's data as JSON-compatible values. Raises `Refused` if the folder holds no file of a run."""
    result = _json(run_folder / "result.json")
    metrics = run_folder / "metrics.jsonl"
    if not result and not metrics.exists() and not (run_folder / "config.yaml").exists():
        raise refuse(
            "is not the folder of a run: no result.json, metrics.jsonl or config.yaml",
            str(run_folder),
            "python -m exp report",
        )
    unreadable: list[str] = []
    panels = curves(read_rows(metrics, unreadable)) if metrics.exists() else []
    sources, rows = _completions(run_folder, unreadable)
    notes = cautions(result) if result else ["This run has no result yet."]
    alerts = read_alerts(run_folder)
    notes += [str(alert) for alert in alerts if alert.severity == "warning"]
    if unreadable:
        notes.append(f"Unreadable and left out: {unreadable[0]}{_and_more(len(unreadable) - 1)}.")
    return {
        "run": result.get("run", run_folder.name),
        "point": result.get("point", ""),
        "started": _moment(result.get("started")),
        "took": duration(result["seconds"]) if "seconds" in result else "",
        "headline": headline(result) if result else "",
        "notes": notes,
        "stages": [_stage(name, stage) for name, stage in result.get("stages", {}).items()],
        "headings": HEADINGS,
        "models": [_model(name, model) for name, model in result.get("eval", {}).items()],
        "comparisons": [_pair(pair, found) for pair, found in result.get("comparisons", {}).items() if found],
        "panels": panels,
        "sources": sources,
        "rows": rows,
        "texts": [
            {"title": title, "file": name, "text": (run_folder / name).read_text(encoding="utf-8", errors="replace")}
            for title, name in _TEXTS
            if (run_folder / name).exists()
        ],
        "trees": [
            {"title": title, "value": value}
            for title, value in (
                ("Alerts", [alert.as_row() for alert in alerts]),
                ("Reward audit", _json(run_folder / "audit.json")),
                ("Data", result.get("data")),
                ("Environment", _json(run_folder / "environment.json")),
            )
            if value
        ],
    }


def _completions(run_folder: Path, unreadable: list[str]) -> tuple[list[dict[str, Any]], list[Row]]:
    """The sources of completions (file, rows shown, rows there are) and the rows, each with its source's place."""
    sources: list[dict[str, Any]] = []
    rows: list[Row] = []

    def add(files: list[Path], kind: str, budget: Budget) -> None:
        selection = select(files, _group_of(kind), budget, unreadable)
        for path, total in selection.totals.items():
            if not total:
                continue
            sources.append(
                {
                    "kind": kind,
                    "of": path.stem,
                    "label": f"{LABELS.get(path.stem, path.stem.upper().replace('_', ' '))}, {kind}",
                    "file": str(path.relative_to(run_folder)),
                    "shown": selection.shown[path],
                    "total": total,
                }
            )
            rows.extend({**row, "source": len(sources) - 1} for at, row in selection.rows if at == path)

    evaluated = [path for name in LABELS if (path := run_folder / "eval" / f"{name}.jsonl").exists()]
    add(evaluated, "greedy", GREEDY)
    add(evaluated, "sampled", SAMPLED)
    for path in sorted((run_folder / "completions").glob("*.jsonl")):
        if path.exists():  # a link may outlive its artifact
            add([path], "rollouts", ROLLOUTS)
    return sources, rows


def _group_of(kind: str) -> Callable[[Row], Hashable | None]:
    if kind == "rollouts":
        return lambda row: (row["step"], row["id"])
    return lambda row: row["id"] if row["mode"] == kind else None


def _stage(name: str, stage: dict[str, Any]) -> dict[str, str]:
    return {
        "name": name,
        "id": stage.get("id", ""),
        "status": "reused" if stage.get("reused") else stage["status"],
        "took": duration(stage["seconds"]) if "seconds" in stage else "",
    }


def _model(name: str, model: dict[str, Any]) -> dict[str, Any]:
    return {
        "key": name,
        "label": LABELS[name],
        "cells": table_row(name, model),
        "dataset": model["dataset"],
        "n": model["n"],
        "accuracy": model["accuracy"],
        "ci95": model["ci95"],
        "mode": model.get("mode", "greedy"),
        "outcomes": model.get("outcomes", {}),
        "samples": (model.get("sampled") or {}).get("samples"),
    }


def _pair(pair: str, found: dict[str, Any]) -> dict[str, Any]:
    after, before = pair.split("_vs_")
    return {"label": f"{LABELS[after]} against {LABELS[before]}", "text": comparison(found), **found}


def _and_more(others: int) -> str:
    return f", and {others} more" if others else ""


def _moment(started: Any) -> str:
    """A time (ISO 8601, or seconds since 1970) to the minute, in UTC."""
    if not started:
        return ""
    moment = datetime.fromisoformat(started) if isinstance(started, str) else datetime.fromtimestamp(started, UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
