"""The process that does what may hang: computer algebra and a user's own verifier. A JSON object per line, in and out.

It limits its own memory, and its CPU time per request, so that it dies by itself even if the parent is gone. Started
by `exp.rewards.sandbox`; imports neither torch nor the configuration.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any

GIB = 1024**3


def equal(answer: str, gold: str) -> dict[str, Any]:
    """math-verify's verdict. The gold is always wrapped in a box: bare LaTeX would be read as its last number."""
    from math_verify import LatexExtractionConfig, parse, verify

    def read(text: str) -> list[Any]:
        found = parse("\\boxed{" + text + "}", [LatexExtractionConfig(boxed_match_priority=0)], parsing_timeout=None)
        return found if any(not isinstance(one, str) for one in found) else []

    wanted, value = read(gold), read(answer)
    if not wanted or not value:
        return {"verdict": "unparseable", "reason": "the gold" if not wanted else "the answer"}
    same = verify(wanted, value, float_rounding=12, timeout_seconds=None) and _relatively_equal(wanted[0], value[0])
    return {"verdict": "right" if same else "wrong", "reason": ""}


def _relatively_equal(wanted: Any, value: Any) -> bool:
    """math-verify rounds to absolute places, which makes all tiny numbers equal: numbers must agree to 8 digits too."""
    from sympy import Expr

    if not (isinstance(wanted, Expr) and isinstance(value, Expr) and wanted.is_number and value.is_number):
        return True
    difference, size = abs((wanted - value).evalf(30)), abs(wanted.evalf(30))
    return bool(difference <= size * 1e-8) if size else bool(abs(value.evalf(30)) < 1e-12)


def call(path: str, function: str, answer: str, gold: str) -> dict[str, Any]:
    """The user's `function(answer, gold)`: a bool or a number in [0, 1]."""
    from exp.rewards.plugin import load_function

    score = float(load_function(f"{path}:{function}")(answer, gold))
    return {"verdict": "right" if score >= 1 else "wrong", "score": min(max(score, 0.0), 1.0), "reason": ""}


def load(path: str, function: str) -> dict[str, Any]:
    """Import the user's file, which may take longer than a verification may."""
    from exp.rewards.plugin import load_function

    load_function(f"{path}:{function}")
    return {}


OPERATIONS: dict[str, Callable[..., dict[str, Any]]] = {"equal": equal, "call": call, "load": load}


def main() -> None:
    """Answer requests until the input ends."""
    memory, kind = int(sys.argv[1]) * GIB, sys.argv[2]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Answers go to the pipe; what a library or a user's function prints must not.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if kind == "algebra":
        equal("\\frac{1}{2}", "0.5")
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    replies.write("{}\n")
    replies.flush()
    for line in sys.stdin:
        request = json.loads(line)
        # The signal's default action ends the process, even inside a C function that never returns to Python.
        signal.setitimer(signal.ITIMER_PROF, request.pop("cpu_seconds"))
        try:
            reply = OPERATIONS[request.pop("operation")](**request)
        except Exception as error:  # hostile text breaks libraries in unforeseen ways; the parent makes it a verdict
            reply = {"verdict": "error", "reason": f"{type(error).__name__}: {error}"[:300]}
        signal.setitimer(signal.ITIMER_PROF, 0)
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
