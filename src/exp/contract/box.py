r"""Find `\boxed{...}` with balanced braces, in time linear in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

OPENING = re.compile(r"\\(?:boxed|fbox)\s*\{")
MAX_NESTING = 8  # boxes directly inside boxes that are unwrapped; the bound keeps hostile text linear
BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


@dataclass(frozen=True)
class Box:
    """One box: `text[start:end]` is the whole command, `content` what stands inside, stripped, inner boxes removed."""

    start: int
    end: int
    content: str


@dataclass(frozen=True)
class Boxes:
    """The outermost boxes of a text that hold something, and whether a box is opened after them and never closed."""

    closed: tuple[Box, ...]
    unclosed: bool


def find_boxes(text: str) -> Boxes:
    r"""All `\boxed{}` and `\fbox{}` of `text` from left to right; escaped braces (`\{`) do not count as braces."""
    found: list[Box] = []
    opening = OPENING.search(text)
    while opening:
        end = _closing_brace(text, opening.end())
        if end is None:
            return Boxes(tuple(found), unclosed=True)
        if content := _without_inner_box(text[opening.end() : end]):
            found.append(Box(opening.start(), end + 1, content))
        opening = OPENING.search(text, end)
    return Boxes(tuple(found), unclosed=False)


def is_balanced(text: str) -> bool:
    """Whether every brace of `text` has its partner, so that it can stand inside a box."""
    return _closing_brace(text + "}", 0) == len(text)


def _closing_brace(text: str, start: int) -> int | None:
    depth = 1
    for brace in BRACE.finditer(text, start):
        if brace.group() == "{":
            depth += 1
        elif brace.group() == "}":
            depth -= 1
            if depth == 0:
                return brace.start()
    return None


def _without_inner_box(content: str) -> str:
    content = content.strip()
    for _ in range(MAX_NESTING):
        inner = OPENING.match(content)
        if not inner or _closing_brace(content, inner.end()) != len(content) - 1:
            break
        content = content[inner.end() : -1].strip()
    return content
