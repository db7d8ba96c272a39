"""How the command line speaks: refusals with all their problems, on standard error."""

from __future__ import annotations

import sys

from exp.errors import Refused


def print_refusal(refused: Refused, outcome: str = "nothing was run") -> None:
    """Print every problem of a refusal, numbered when there are several."""
    count = len(refused.problems)
    print(f"{count} problem{'s' if count > 1 else ''}, {outcome}:", file=sys.stderr)
    for number, problem in enumerate(refused.problems, 1):
        mark = f"{number}. " if count > 1 else "   "
        print(f"  {mark}{problem}", file=sys.stderr)
