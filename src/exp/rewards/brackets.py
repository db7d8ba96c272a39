"""Brackets of every kind: the parts of a text outside them, and whether one pair encloses the whole."""

from __future__ import annotations

import re

TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)?|.", re.DOTALL)
OPENING = frozenset(("(", "[", "{", "\\{", "\\langle"))
CLOSING = frozenset((")", "]", "}", "\\}", "\\rangle"))


def split(text: str, pattern: re.Pattern[str]) -> tuple[list[str], list[str]]:
    """The parts of `text` between matches of `pattern` outside all brackets, and the matches.

    Brackets need not match in kind, as in the interval `[0,1)`.
    """
    parts: list[str] = []
    marks: list[str] = []
    level = start = position = 0
    while position < len(text):
        mark = pattern.match(text, position) if level <= 0 else None
        if mark and mark.end() > position:
            parts.append(text[start:position])
            marks.append(mark.group())
            start = position = mark.end()
        else:
            token = _token(text, position)
            level += (token in OPENING) - (token in CLOSING)
            position += len(token)
    return [*parts, text[start:]], marks


def encloses(text: str) -> bool:
    """Whether the bracket that `text` begins with is closed by its last character or command."""
    level = position = 0
    while position < len(text):
        token = _token(text, position)
        level += (token in OPENING) - (token in CLOSING)
        position += len(token)
        if level == 0:
            return position == len(text)
    return False


def _token(text: str, position: int) -> str:
    token = TOKEN.match(text, position)
    assert token  # every character is a token
    return token.group()
