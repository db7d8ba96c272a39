"""Verifications per second beside math-verify, in one process on one core, and which of the two is right more often.

    EXP_SHARED=path/to/shared python benchmarks/verify_speed.py

Both get the same completions and golds: math-verify as its documentation recommends (gold in a box, box first, its own
time limits), this project through lenient extraction. Medians of alternating rounds, caches emptied before each. Kinds
of cases made to hang a verifier are left out of both. The last line is one JSON object.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from random import Random

from exp.rewards import expression, notation, verify
from exp.rewards.command import Row, read_rows
from exp.rewards.lenient import extract_leniently
from exp.rewards.verdict import Verdict

ROUNDS = 5
GSM8K_ROWS = 400
HANGING = ("tower", "long_number", "long_text", "deep_nesting", "slow_symbolic")


def main() -> None:
    """Measure and print."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    mixed = [row for row in read_rows(_cases()) if row.topic not in HANGING]
    integers = _integer_rows(GSM8K_ROWS)
    for row in mixed:  # imports, worker start, compiled patterns
        _ours(row)
        _math_verify(row)
    gsm8k_ratio = _ratio(integers)
    mixed_ratio = _ratio(mixed)
    durations = []
    for _ in range(ROUNDS):
        _empty_caches()
        durations += [_timed(_ours, row) for row in mixed]
    durations.sort()
    result = {
        "gsm8k_ratio": round(gsm8k_ratio, 1),
        "mixed_ratio": round(mixed_ratio, 1),
        "p99_ms": round(1000 * durations[int(0.99 * len(durations))], 2),
        "right": sum(_ours(row) == row.expected for row in mixed),
        "right_math_verify": sum(_math_verify(row) == row.expected for row in mixed),
        "n": len(mixed),
    }
    print(json.dumps(result))


def _cases() -> Path:
    shared = os.environ.get("EXP_SHARED")
    if not shared:
        sys.exit("set EXP_SHARED to the folder that holds data/verifier_cases.jsonl")
    return Path(shared) / "data" / "verifier_cases.jsonl"


def _integer_rows(n: int) -> list[Row]:
    """Integer golds and worked solutions of about 1600 characters that end in a box, nine in ten right."""
    rng = Random(0)
    rows = []
    for number in range(n):
        gold = rng.randrange(2, 5000)
        steps = [
            f"Step {i}: {rng.randrange(99)} + {rng.randrange(99)} = {rng.randrange(199)}, as asked." for i in range(45)
        ]
        said = gold if rng.random() < 0.9 else gold + 1
        text = "\n".join(steps) + f"\nThe answer is \\boxed{{{said}}}."
        rows.append(Row(str(number), str(gold), text, "integer", "integer", said == gold))
    return rows


def _ratio(rows: list[Row]) -> float:
    """Median time of math-verify over median time of ours."""
    theirs, ours = [], []
    for _ in range(ROUNDS):
        theirs.append(_timed(lambda: [_math_verify(row) for row in rows]))
        _empty_caches()
        ours.append(_timed(lambda: [_ours(row) for row in rows]))
    return statistics.median(theirs) / statistics.median(ours)


def _timed(function: Callable[..., object], *arguments: object) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def _ours(row: Row) -> bool:
    answer = extract_leniently(row.completion, row.kind).answer
    return answer is not None and verify.verify(answer, row.gold, row.kind).verdict is Verdict.RIGHT


def _math_verify(row: Row) -> bool:
    from math_verify import verify as verify_pair

    parse, configuration = _parser()
    return bool(verify_pair(parse(f"\\boxed{{{row.gold}}}", configuration), parse(row.completion, configuration)))


@lru_cache
def _parser() -> tuple[Callable[..., list[object]], list[object]]:
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse

    return parse, [LatexExtractionConfig(boxed_match_priority=0), ExprExtractionConfig()]


def _empty_caches() -> None:
    verify.empty_cache()
    notation.clean.cache_clear()
    expression.parse_expression.cache_clear()


if __name__ == "__main__":
    main()
