"""`exp fields GROUP`: every key of a configuration group with its type, default and meaning, as the schema has them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from rich.console import Console
from rich.table import Table

from exp.config.overrides import GROUPS, group_options, without_none
from exp.config.point import Point
from exp.errors import nearest, refuse


def main(words: Sequence[str]) -> int:
    """Print the keys of the named groups, or of all of them; tab-separated when piped."""
    if words and words[0] in ("-h", "--help"):
        print(f"usage: python -m exp fields [GROUP ...]\n\ngroups: {', '.join(GROUPS)}")
        return 0
    for group in words or GROUPS:
        if group not in GROUPS:
            close = nearest(group, list(GROUPS))
            raise refuse(
                f"there is no group {group!r}; there are {', '.join(GROUPS)}",
                "fields",
                f"exp fields {close}" if close else "",
            )
        show_group(group)
    return 0


def show_group(group: str) -> None:
    """Print one group."""
    rows = list(field_rows(group, Point.model_fields[group].annotation))
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(row))
        return
    table = Table(title=f"{group}   options: {', '.join(group_options(group))}", title_justify="left", show_lines=False)
    for name in ("key", "type", "default", "meaning"):
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def field_rows(prefix: str, model: Any) -> Iterator[tuple[str, str, str, str]]:
    """Key, type, default and meaning of every field under `prefix`, nested models included."""
    for name, info in model.model_fields.items():
        key = f"{prefix}.{name}"
        kind = without_none(info.annotation)
        default = _typed(info.get_default(call_default_factory=True))
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield key, "group", default, _meaning(info.description)
            yield from field_rows(key, kind)
        else:
            yield key, _words(info.annotation), default, _meaning(info.description)


def _typed(value: Any) -> str:
    """A default as it would be typed in a YAML file; "" where there is none."""
    return "" if value is PydanticUndefined else value if isinstance(value, str) else json.dumps(value)


def _meaning(text: str | None) -> str:
    return " ".join((text or "").split())


def _words(annotation: Any) -> str:
    """A type as a user would say it."""
    if annotation is type(None):
        return "null"
    if get_origin(annotation) is Literal:
        return "|".join(str(value) for value in get_args(annotation))
    words = [_words(argument) for argument in get_args(annotation)]
    if get_origin(annotation) in (Union, UnionType):
        return "|".join(words)
    if words:
        return f"{get_origin(annotation).__name__} of {', '.join(words)}"
    return str(getattr(annotation, "__name__", annotation))
