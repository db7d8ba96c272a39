"""Checks what was typed before Hydra sees it: every mistake is named at once, with the nearest valid word to paste."""

from __future__ import annotations

import shlex
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override
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
        override = _parsed(text)
        if override is None:
            problems.append(_unreadable(text))
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
    """The type at a dotted key of the schema; `Any` inside an open mapping.

    Raises KeyError(position) where the key leaves the schema.
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


def _parsed(text: str) -> Override | None:
    """The override as Hydra reads it, None where it cannot."""
    try:
        return OverridesParser.create().parse_override(text)
    except HydraException:
        return None


def _problems_of(override: Override, text: str, multirun: bool, folders: Sequence[Path]) -> list[Problem]:
    key = override.key_or_group
    if key.split(".")[0] == "hydra" or key.startswith("hydra/"):
        return []
    is_group = key in (*GROUPS, *EXTRA_GROUPS)
    if override.is_delete() and "." not in key:
        return [Problem(f"{key!r} cannot be taken away", "command line", "leave the word out", "overrides")]
    found = _option_problems(override, key, folders) if is_group else _key_problems(key, text)
    if override.is_sweep_override() and not found:
        if not multirun:
            return [_several_values(key, text, is_group)]
        if not override.is_discrete_sweep() or (isinstance(override.value(), Glob) and not is_group):
            # An interval cannot be written out, and a pattern has nothing to match but a group's options.
            return [Problem(f"{text!r} is no list of values", "command line", f"write {key}=A,B,C", "overrides")]
    return found


def _option_problems(override: Override, group: str, folders: Sequence[Path]) -> list[Problem]:
    options = group_options(group, folders)
    found = []
    for name in _chosen(override, options):
        if name not in options:
            close = nearest(name, options) or next((o for o in options if o.endswith(name)), "")
            fix = f"{group}={close}" if close else ""
            found.append(
                Problem(
                    f"there is no {group} {name!r}; there are {', '.join(options)}", "command line", fix, "overrides"
                )
            )
    return found


def _chosen(override: Override, options: list[str]) -> list[str]:
    """The option or options that an override names; a pattern that fits none stands for itself."""
    value: Any = override.value()
    if isinstance(value, Glob):
        return value.filter(options) or [" ".join(value.include)]
    values = override.sweep_iterator() if override.is_sweep_override() else [value]
    return ["" if value is None else str(value) for value in values]


def _several_values(key: str, text: str, is_group: bool) -> Problem:
    if is_group or without_none(field_at(key.split("."))) not in (str, Any):
        what, fix = f"{text!r} names several values; -m runs them all", f"-m {shlex.quote(text)}"
    else:
        what, fix = f"{text!r} holds several values; add -m to run them all, or quote them as one", _quoted(text)
    return Problem(what, "command line", fix, "overrides")


def _key_problems(key: str, text: str) -> list[Problem]:
    if "." not in key and key not in Point.model_fields:
        names = [*GROUPS, *EXTRA_GROUPS, *Point.model_fields]
        return [_unknown(key, nearest(key, names), text, sorted(set(names)))]
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
    fix = _accepted(text.lstrip("+~").replace(key, close, 1)) if close else ""
    hint = f"; did you mean {close}?" if close else f"; known here: {', '.join(names)}" if names else ""
    return Problem(f"there is no key {key!r}{hint}", "command line", fix, "overrides")


def _accepted(text: str) -> str:
    """The override quoted for the shell; where it is wrong as well, what its own problem says."""
    try:
        check_overrides([text], multirun=True)
    except Refused as refused:
        return refused.problems[0].fix
    return shlex.quote(text)


def _added(override: Override, text: str) -> str:
    """With `++`, which sets a key whether or not the chosen option's file spells it out; the schema knows the key."""
    key = override.key_or_group
    if override.is_delete() or key.split(".")[0] not in Point.model_fields:
        return text
    return f"++{text.lstrip('+')}" if "." in key else text.lstrip("+")


def _unreadable(text: str) -> Problem:
    key, _, value = text.partition("=")
    if not value or not _parsed(f"{key}=1"):
        example = "write key=value, such as model=tiny or grpo.steps=100"
        return Problem(f"{text!r} is not an override", "command line", example, "overrides")
    what = f"the value of {key!r} holds characters that need quotes: {value}"
    fix = _quoted(text) or "put the value into an option's file; see --config-dir in --help"
    return Problem(what, "command line", fix, "overrides")


def _quoted(text: str) -> str:
    """The override in the quotes that Hydra and the shell need, its key corrected; "" if no quoting helps."""
    key, _, value = text.partition("=")
    for mark in ('"', "'"):
        escaped = value.replace(mark, f"\\{mark}")
        candidate = f"{key}={mark}{escaped}{mark}"
        override = _parsed(candidate)
        if override and override.value() == value and "${" not in value:
            return _accepted(candidate)
    return ""
