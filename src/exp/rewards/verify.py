"""Compare one answer with its gold as the question's kind of answer demands. One table of kinds; cached."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from exp.errors import nearest, refuse
from exp.rewards.choice import verify_choice, verify_choices, verify_jee_multiple, verify_jee_number
from exp.rewards.exact import verify_exact
from exp.rewards.mathematics import math_gold_problem, verify_math
from exp.rewards.notation import MAX_ANSWER
from exp.rewards.number import verify_integer, verify_number
from exp.rewards.plugin import is_path, load_function
from exp.rewards.sandbox import STARTUP_SECONDS, Sandbox, TimedOut
from exp.rewards.verdict import Verdict, Verification, right, unparseable

__all__ = ["KINDS", "Verification", "gold_problem", "verify"]

Verifier = Callable[[str, str], Verification]

KINDS: dict[str, Verifier] = {
    "exact": verify_exact,
    "integer": verify_integer,
    "number": verify_number,
    "math": verify_math,
    "choice": verify_choice,
    "choices": verify_choices,
    "jee_mcq": verify_choice,
    "jee_multiple": verify_jee_multiple,
    "jee_integer": verify_jee_number,
    "jee_numeric": verify_jee_number,
}
"""Verifiers by name; each takes (answer, gold). A kind may also be `path/to/file.py:function`, run in a worker."""

FAILED = "the verifier failed"

USER = Sandbox("user", memory_gib=16)


def verify(answer: str, gold: str, kind: str) -> Verification:
    """The verdict on `answer`, which may be hostile: it ends within 2 s and bounded memory, from any thread.

    Not counted is the first start of a worker process, which only unusual mathematics and a user's own verifiers need.
    A user's `function(answer, gold)` returns a bool or a score in [0, 1]. Raises `Refused` for an unknown kind.
    """
    if len(answer) <= MAX_ANSWER:
        return _verify(kind, gold, answer)
    return right("same text") if answer.strip() == gold.strip() else unparseable("too long to be an answer")


def gold_problem(gold: str, kind: str) -> str | None:
    """Why this gold cannot be verified against itself, in plain words; None if it can. For use when data is loaded."""
    if not gold.strip():
        return "it is empty"
    if len(gold) > MAX_ANSWER:
        return f"it is longer than {MAX_ANSWER} characters"
    if kind == "math":
        return math_gold_problem(gold)
    found = verify(gold, gold, kind)
    return None if found.verdict is Verdict.RIGHT else f"it does not verify against itself as {kind}: {found.reason}"


def check_kind(kind: str) -> None:
    """Raise `Refused` if there is no such kind."""
    if is_path(kind):
        load_function(kind)
    elif kind not in KINDS:
        close = nearest(kind, list(KINDS))
        hint = f", did you mean {close}?" if close else f"; there are {', '.join(KINDS)}"
        raise refuse(
            f"unknown kind of answer {kind!r}{hint}", where="verifier", fix=f"reward.verifier={close}" if close else ""
        )


def empty_cache() -> None:
    """Forget all verdicts, for measurements."""
    _verify.cache_clear()


@lru_cache(maxsize=50_000)
def _verify(kind: str, gold: str, answer: str) -> Verification:
    if is_path(kind):
        return _verify_by_user(kind, gold, answer)
    if kind not in KINDS:
        check_kind(kind)
    if not answer.strip():
        return Verification(Verdict.NO_ANSWER, "the answer is empty", 0.0)
    try:
        return KINDS[kind](answer, gold)
    except (ArithmeticError, RecursionError) as error:
        # The last line of defence: one strange answer must not end a training run; the reason tells it from others.
        return unparseable(f"{FAILED}: {type(error).__name__}: {error}"[:200])


def _verify_by_user(kind: str, gold: str, answer: str) -> Verification:
    path, _, function = kind.rpartition(":")
    try:
        USER.request("load", STARTUP_SECONDS, path=path, function=function)
        reply = USER.request("call", path=path, function=function, answer=answer, gold=gold)
    except TimedOut as error:
        return Verification(Verdict.TIMEOUT, f"{kind}: {error}", 0.0)
    if reply["verdict"] == "error":
        raise refuse(
            f"the verifier failed on answer {answer[:80]!r}, gold {gold[:80]!r}: {reply['reason']}", where=kind
        )
    return Verification(Verdict(reply["verdict"]), f"by {function}", reply["score"])
