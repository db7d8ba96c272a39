"""How the command line speaks: refusals with all their problems, and text of unknown origin made harmless."""

from __future__ import annotations

import sys

from exp.errors import Refused


def print_refusal(refused: Refused, outcome: str = "nothing was run") -> None:
    """Print every problem of a refusal, numbered when there are several."""
    count = len(refused.problems)
    print(f"{count} problem{'s' if count > 1 else ''}, {outcome}:", file=sys.stderr)
    for number, problem in enumerate(refused.problems, 1):
        mark = f"{number}. " if count > 1 else "   "
        print(f"  {mark}{harmless(str(problem))}", file=sys.stderr)


def harmless(text: str) -> str:
    """Without the control characters by which data or a model's output could command the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "�" for c in text)
