"""Checks what was typed before Hydra sees it, so that every mistake is named at once, with the nearest valid word to
paste.
"""

from __future__ import annotations

import shlex
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from pydantic import BaseModel

from exp.config.point import Point
from exp.errors import Problem, Refused, nearest
from exp.paths import conf_dir

GROUPS = tuple(name for name in Point.model_fields if name not in ("seed", "label", "outputs"))
"""Groups of the schema, each a folder of options."""
EXTRA_GROUPS = ("recipe",)
"""Groups that hold no values of their own but set those of other groups."""


def check_overrides(overrides: Sequence[str], multirun: bool = False, folders: Sequence[Path] = ()) -> list[str]:
    """Return the overrides in the form Hydra accepts, or raise `Refused` with every problem.

    `folders` are further configuration folders in which group options are looked for.
    """
    problems: list[Problem] = []
    accepted = []
    for text in overrides:
        try:
            override = OverridesParser.create().parse_override(text)
        except HydraException:
            problems.append(_unquoted(text))
            continue
        found = _problems_of(override, text, multirun, folders)
        problems.extend(found)
        if not found:
            accepted.append(_added(override, text))
    if problems:
        raise Refused(*problems)
    return accepted


def group_options(group: str, folders: Sequence[Path] = ()) -> list[str]:
    """Names of a group's options, sorted."""
    return sorted({file.stem for folder in (conf_dir(), *folders) for file in (folder / group).glob("*.yaml")})


def field_at(path: Sequence[str]) -> Any:
    """The type at a dotted key of the schema; `Any` inside an open mapping. Raises KeyError(position) where the key
    leaves the schema.
    """
    here: Any = Point
    for position, part in enumerate(path):
        model = without_none(here)
        if model is Any:
            return Any
        if isinstance(model, type) and issubclass(model, BaseModel):
            if part not in model.model_fields:
                raise KeyError(position)
            here = model.model_fields[part].annotation
        elif get_origin(model) is dict:
            here = get_args(model)[1]
        else:
            raise KeyError(position)
    return here


def without_none(annotation: Any) -> Any:
    """The annotation without `| None`."""
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [a for a in get_args(annotation) if a is not type(None)]
        return rest[0] if len(rest) == 1 else annotation
    return annotation


def _problems_of(override: Override, text: str, multirun: bool, folders: Sequence[Path]) -> list[Problem]:
    key = override.key_or_group
    if key.split(".")[0] == "hydra" or key.startswith("hydra/"):
        return []
    if override.is_sweep_override() and not multirun:
        fix = f"add -m to sweep, or quote it as one value: {_quoted(text)}"
        return [Problem(f"{text!r} holds several values", "command line", fix, "overrides")]
    if key in (*GROUPS, *EXTRA_GROUPS):
        return _option_problems(override, key, folders)
    if "." not in key and key not in Point.model_fields:
        names = [*GROUPS, *EXTRA_GROUPS, *Point.model_fields]
        return [_unknown(key, nearest(key, names), text, sorted(set(names)))]
    return _key_problems(key, text)


def _option_problems(override: Override, group: str, folders: Sequence[Path]) -> list[Problem]:
    options = group_options(group, folders)
    chosen = list(override.sweep_iterator()) if override.is_sweep_override() else [override.value()]
    found = []
    for value in chosen:
        name = str(value)
        if name not in options:
            close = nearest(name, options) or next((o for o in options if o.endswith(name)), "")
            fix = f"{group}={close}" if close else f"{group}={options[0]}"
            found.append(
                Problem(
                    f"there is no {group} {name!r}; there are {', '.join(options)}", "command line", fix, "overrides"
                )
            )
    return found


def _key_problems(key: str, text: str) -> list[Problem]:
    parts = key.split(".")
    try:
        field_at(parts)
    except KeyError as error:
        position = error.args[0]
        parent = without_none(field_at(parts[:position]))
        names = list(parent.model_fields) if isinstance(parent, type) and issubclass(parent, BaseModel) else []
        close = nearest(parts[position], names)
        fixed = ".".join([*parts[:position], close, *parts[position + 1 :]]) if close else ""
        return [_unknown(key, fixed, text, names)]
    return []


def _unknown(key: str, close: str, text: str, names: list[str]) -> Problem:
    fix = text.lstrip("+~").replace(key, close, 1) if close else ""
    known = f"; known here: {', '.join(names)}" if names and not close else ""
    return Problem(f"there is no key {key!r}{known}", "command line", fix, "overrides")


def _added(override: Override, text: str) -> str:
    """Prefix `++`: the schema knows the key, but Hydra refuses any that the chosen option's file does not spell out."""
    group = override.key_or_group.split(".")[0]
    return f"++{text}" if "." in override.key_or_group and group in GROUPS and text[0] not in "+~" else text


def _unquoted(text: str) -> Problem:
    key, _, value = text.partition("=")
    if not value:
        return Problem(
            f"{text!r} is not an override", "command line", "write key=value, such as model=tiny", "overrides"
        )
    fix = _quoted(text)
    what = f"the value of {key!r} holds characters that need quotes: {value}"
    return Problem(
        what, "command line", fix or f"put the value into a YAML file under conf/{key.split('.')[0]}/", "overrides"
    )


def _quoted(text: str) -> str:
    """The override in the quotes that Hydra and the shell need, or "" if no quoting makes it one value."""
    key, _, value = text.partition("=")
    for mark in ('"', "'"):
        escaped = value.replace(mark, f"\\{mark}")
        candidate = f"{key}={mark}{escaped}{mark}"
        try:
            override = OverridesParser.create().parse_override(candidate)
        except HydraException:
            continue
        if str(override.value()) == value and "${" not in value:
            return shlex.quote(candidate)
    return ""
