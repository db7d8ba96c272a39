"""`python -m exp verify FILE.jsonl`: verify recorded completions, and count where an expectation is missed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exp.errors import Refused, refuse
from exp.rewards.lenient import extract_leniently
from exp.rewards.literal import read_literal
from exp.rewards.plugin import is_path
from exp.rewards.verdict import Verdict
from exp.rewards.verify import KINDS, check_kind, verify

SYNONYMS = {"mcq": "choice", "mcq_multi": "choices", "numeric_tolerance": "number", "integer_type": "integer"}
"""Topics of case files that ask for a verifier of their own; every other unknown kind is a topic verified as `math`."""


@dataclass(frozen=True)
class Row:
    """One line of the file. `topic` is its own word for its kind, `kind` the verifier's."""

    id: str
    gold: str
    completion: str
    topic: str
    kind: str
    expected: bool | None


def main(argv: list[str]) -> int:
    """Run the command; 0 if no expectation is missed, 1 if one is, 2 for a file that cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m exp verify", description=__doc__)
    parser.add_argument("file", type=Path, help="rows {gold, completion or completion_expr, kind?, expected?}")
    kinds = f"{', '.join(KINDS)} or path/to/file.py:function"
    parser.add_argument("--kind", help=f"verify every row as this kind: {kinds}")
    parser.add_argument("--json", action="store_true", help="print verdicts and summary as JSON lines")
    arguments = parser.parse_args(argv)
    try:
        rows = list(read_rows(arguments.file, arguments.kind))
        summary = _run(rows, as_json=arguments.json)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 2
    print(json.dumps(summary) if arguments.json else _sentence(summary))
    return int(bool(summary["false_positive"] or summary["false_negative"]))


def _run(rows: list[Row], as_json: bool) -> dict[str, Any]:
    started = time.perf_counter()
    false_positive: list[str] = []
    false_negative: list[str] = []
    by_kind: dict[str, dict[str, int]] = {}
    for row in rows:
        found = extract_leniently(row.completion, row.kind)
        verdict, reason, score = Verdict.NO_ANSWER, "; ".join(found.problems), 0.0
        if found.answer is not None:
            verification = verify(found.answer, row.gold, row.kind)
            verdict, reason, score = verification.verdict, verification.reason, verification.score
        is_right = verdict is Verdict.RIGHT
        agrees = row.expected is None or row.expected == is_right
        if not agrees:
            (false_positive if is_right else false_negative).append(row.id)
        tally = by_kind.setdefault(row.topic, {"n": 0, "agree": 0})
        tally["n"] += 1
        tally["agree"] += agrees
        answer = None if found.answer is None else found.answer[:200]
        line = {
            "id": row.id,
            "kind": row.kind,
            "verdict": verdict,
            "score": score,
            "extracted": answer,
            "reason": reason,
        }
        line |= {"problems": found.problems, "expected": row.expected, "agrees": agrees}
        print(json.dumps(line) if as_json else _line(line, row.gold))
    seconds = time.perf_counter() - started
    return {
        "n": len(rows),
        "agree": len(rows) - len(false_positive) - len(false_negative),
        "false_positive": len(false_positive),
        "false_negative": len(false_negative),
        "false_positive_ids": false_positive,
        "false_negative_ids": false_negative,
        "by_kind": by_kind,
        "seconds": round(seconds, 6),
        "per_second": round(len(rows) / seconds, 1) if seconds else 0.0,
    }


def read_rows(file: Path, override: str | None = None) -> Iterator[Row]:
    """The rows of a JSONL file, verified as `override` if that is set. Raises `Refused` naming file and line."""
    if override is not None:
        check_kind(override)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise refuse(f"cannot be read: {error}", where=str(file)) from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _row(line, f"{file}, line {number}", override, number)


def _row(line: str, where: str, override: str | None, number: int) -> Row:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise refuse(f"not JSON: {error}", where=where) from error
    if not isinstance(row, dict) or "gold" not in row:
        raise refuse("a row needs a gold", where=where)
    completion = row.get("completion")
    if completion is None:
        if "completion_expr" not in row:
            raise refuse("a row needs a completion or a completion_expr", where=where)
        try:
            completion = read_literal(str(row["completion_expr"]))
        except ValueError as error:
            raise refuse(f"completion_expr: {error}", where=where) from error
    expected = row.get("expected")
    if expected is not None and not isinstance(expected, bool):
        raise refuse(f"expected must be true or false, not {expected!r}", where=where)
    topic = str(row.get("kind") or "math")
    kind = override or SYNONYMS.get(topic, topic if topic in KINDS or is_path(topic) else "math")
    return Row(str(row.get("id", number)), str(row["gold"]), str(completion), topic, kind, expected)


def _line(line: dict[str, Any], gold: str) -> str:
    mark = "" if line["agrees"] else f"   <- expected {'right' if line['expected'] else 'not right'}"
    compared = f"{gold[:30]!r} <- {str(line['extracted'])[:40]!r}"
    return f"{line['id']:>6}  {line['verdict']:<11} {compared}: {line['reason'][:80]}{mark}"


def _sentence(summary: dict[str, Any]) -> str:
    return (
        f"{summary['agree']} of {summary['n']} as expected; false positive: {summary['false_positive']}, "
        f"false negative: {summary['false_negative']}; {summary['seconds']:.3f} s, {summary['per_second']} per second"
    )
