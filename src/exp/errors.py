"""The one exception for a user's mistake: a list of problems, each saying what, where and how to fix it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    `where` is a dotted key, a file, or a file and row; `fix` is an override or a command to paste, "" if there is none.
    """

    what: str
    where: str = ""
    fix: str = ""
    check: str = ""

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}\n      fix: {self.fix}" if self.fix else head


class Refused(Exception):
    """What the user asked for cannot be done.

    Entry points print the problems and exit with status 2, without a traceback.
    """

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        super().__init__("\n".join(str(p) for p in problems))


def refuse(what: str, where: str = "", fix: str = "") -> Refused:
    """A `Refused` with a single problem, for `raise refuse(...)`."""
    return Refused(Problem(what, where, fix))


def nearest(name: str, valid: list[str]) -> str:
    """The valid name closest to `name`, or "" if none is close."""
    from difflib import get_close_matches

    found = get_close_matches(name, valid, n=1, cutoff=0.5)
    return found[0] if found else ""
