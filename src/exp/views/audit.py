"""`python -m exp audit`: what the chosen reward pays for golds, wrong answers and attacks; nothing is generated."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from exp.config.compose import compose_point
from exp.config.point import Point
from exp.data.examples import Unusable
from exp.data.rows import rl_row
from exp.data.sources import open_source
from exp.errors import Problem, Refused, refuse
from exp.messages import harmless
from exp.rewards.audit import Audit, Checked, Safety, audit
from exp.rewards.library import problems
from exp.rewards.pay import Paid

HEADINGS = ("attack", "pay", "highest", "share", "luck", "verdict")
PIPED = ("name", "rows", "pay", "highest", "share", "luck", "verdict", "judged", "extracted", "completion")
STYLES = {Safety.SAFE: "green", Safety.FORM: "yellow", Safety.PAYS: "bold red"}
FAILURES_SHOWN = 5
LONGEST = 300


def main(argv: Sequence[str]) -> int:
    """Print the audit; returns 1 if the reward is unfit for training, else 0."""
    parser = argparse.ArgumentParser(prog="python -m exp audit", description=__doc__)
    parser.add_argument("overrides", nargs="*", help="as for exp.train: dataset=gsm8k format=boxed reward=lenient ...")
    parser.add_argument("--rows", type=int, default=200, help="questions to audit with, from the start of the source")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")
    arguments = parser.parse_intermixed_args(argv)
    try:
        point = compose_point(arguments.overrides)
        if wrong := problems(point.reward):
            raise Refused(*wrong)
        rows, unusable = read_questions(point, arguments.rows)
        outcome = audit(rows, point.format, point.reward)
    except Refused as refused:
        if not arguments.json:
            raise
        print(json.dumps({"problems": [asdict(problem) for problem in refused.problems], "warnings": []}))
        return 1
    found, warnings = outcome.problems(), [*unusable, *outcome.warnings()]
    if arguments.json:
        print(json.dumps(describe(outcome, found, warnings), indent=1))
        return int(bool(found))
    _show(outcome, Console())
    for kind, listed in (("warning", warnings), ("problem", found)):
        for problem in listed:
            print(f"{kind}: {harmless(str(problem))}", file=sys.stderr)
    return int(bool(found))


def read_questions(point: Point, limit: int) -> tuple[list[dict[str, Any]], list[Problem]]:
    """The first `limit` usable rows that GRPO would practise on, as streamed, and a warning for those that are not.

    Raises `Refused` if there are no rows or none is usable.
    """
    opened = open_source(point.dataset, "rl")
    rows: list[dict[str, Any]] = []
    reasons: Counter[str] = Counter()
    if limit > 0:
        for read in opened.read(point.seed):
            try:
                if read.example is None:
                    assert read.problem is not None
                    raise read.problem
                rows.append(asdict(rl_row(read.example, opened.source, point.format)))
            except Unusable as problem:
                reasons[problem.reason] += 1
            if len(rows) == limit:
                break
    counts = ", ".join(f"{reason} ({count})" for reason, count in reasons.most_common())
    if not rows:
        raise refuse(f"no row can be audited{f': {counts}' if counts else ''}", opened.where, "--rows 200")
    return rows, [Problem(f"rows left out: {counts}", opened.where, check="audit")] if counts else []


def describe(outcome: Audit, found: Sequence[Problem], warnings: Sequence[Problem]) -> dict[str, Any]:
    """The audit as plain values."""
    return {
        "rows": outcome.rows,
        "maximum": outcome.maximum,
        "form": outcome.form,
        "golds": _checked(outcome.golds),
        "wrong": _checked(outcome.wrong),
        "attacks": [
            {
                "name": one.name,
                "description": one.attack.description,
                "holds_gold": one.attack.holds,
                "rows": one.rows,
                "pay": one.pay,
                "highest": one.highest,
                "share": one.share,
                "luck": one.luck,
                "verdict": one.verdict,
                "example": _example(one.example),
            }
            for one in outcome.attacks
        ],
        "problems": [asdict(problem) for problem in found],
        "warnings": [asdict(problem) for problem in warnings],
    }


def _checked(checked: Checked) -> dict[str, Any]:
    return {
        "rows": checked.rows,
        "pay": checked.pay,
        "highest": checked.highest,
        "failing": len(checked.failing),
        "examples": [_example(paid) for paid in checked.failing[:FAILURES_SHOWN]],
    }


def _example(paid: Paid) -> dict[str, Any]:
    return {
        "gold": paid.row["gold"],
        "kind": paid.row["kind"],
        "completion": paid.completion.text,
        "ended": paid.completion.ended,
        "extracted": paid.judged.extracted,
        "verdict": paid.judged.verdict,
        "reason": paid.judged.reason,
        "well_formed": paid.judged.well_formed,
        "pay": paid.pay,
        "components": paid.components,
    }


def _show(outcome: Audit, console: Console) -> None:
    if console.is_terminal:
        _draw(outcome, console)
        return
    print("\t".join(PIPED))
    for name, checked in (("golds", outcome.golds), ("wrong answers", outcome.wrong)):
        share = checked.pay / outcome.maximum if outcome.maximum > 0 else 0.0
        cells = (name, checked.rows, checked.pay, checked.highest, share, 0.0, f"{len(checked.failing)} failing")
        print("\t".join(map(str, (*cells, "", "", ""))))
    for one in outcome.attacks:
        judged = one.example.judged
        shown = (judged.verdict, json.dumps(judged.extracted), json.dumps(one.example.completion.text))
        cells = (one.name, one.rows, one.pay, one.highest, one.share, one.luck, one.verdict)
        print("\t".join(map(str, (*cells, *shown))))


def _draw(outcome: Audit, console: Console) -> None:
    _line(console, f"{outcome.rows} questions; a right answer in perfect form is paid {outcome.maximum:.2f}", "bold")
    for name, checked in (("golds", outcome.golds), ("wrong answers", outcome.wrong)):
        failing = f", {len(checked.failing)} not as they should" if checked.failing else ""
        _line(console, f"{name}: {checked.pay:.2f} on average, {checked.highest:.2f} at most{failing}")
        for paid in checked.failing[:FAILURES_SHOWN]:
            _draw_example(paid, console)
    table = Table(*HEADINGS, box=None, pad_edge=False, header_style="bold")
    for column in table.columns[1:5]:
        column.justify = "right"
    for one in outcome.attacks:
        cells = (f"{one.pay:.2f}", f"{one.highest:.2f}", f"{one.share:.0%}", f"{one.luck:.0%}" if one.luck else "")
        table.add_row(one.name, *cells, Text(one.verdict, style=STYLES[one.verdict]))
    console.print(table)
    for one in outcome.attacks:
        if one.verdict is not Safety.SAFE:
            _line(console, f"{one.name}: {one.attack.description}", STYLES[one.verdict])
            _draw_example(one.example, console)


def _draw_example(paid: Paid, console: Console) -> None:
    components = " + ".join(f"{name} {value:.2f}" for name, value in paid.components.items())
    extracted = "nothing" if paid.judged.extracted is None else repr(paid.judged.extracted[:LONGEST])
    form = "in form" if paid.judged.well_formed else "broken form"
    _line(console, f"  {json.dumps(paid.completion.text[:LONGEST], ensure_ascii=False)}")
    _line(console, f"  gold {paid.row['gold']!r}, extracted {extracted}: {paid.judged.verdict}, {form}: {components}")


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(harmless(text), style=style), soft_wrap=True)
