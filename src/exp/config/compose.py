"""From overrides to a typed point: Hydra composes, the schema checks, and every problem is reported at once."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_origin

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from exp.config.overrides import GROUPS, check_overrides, field_at, without_none
from exp.config.point import Point
from exp.errors import Problem, Refused, nearest, refuse
from exp.paths import conf_dir


def compose_point(words: Sequence[str]) -> Point:
    """Compose `conf/config.yaml` with a command line's words and check the result against the schema.

    The words are overrides, and `--config-dir DIR` for a folder of further options. Raises `Refused` with all problems.
    """
    overrides, folders = split_words(words)
    accepted = check_overrides(overrides, folders=folders)
    if folders:
        accepted.append(f"hydra.searchpath=[{','.join(f'file://{folder}' for folder in folders)}]")
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        try:
            config = compose("config", accepted, return_hydra_config=True)
        except HydraException as error:  # what only composing can find, such as taking away a key that is not there
            raise refuse(str(error).splitlines()[0], "command line") from None
    hydra = config.hydra
    with open_dict(config):
        del config["hydra"]
    return typed_point(config, hydra.runtime.choices, hydra.overrides.task)


def split_words(words: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Overrides, and the folders that `--config-dir` or `-cd` name. Raises `Refused` where a folder does not exist."""
    overrides, folders = [], []
    rest = iter(words)
    for word in rest:
        name, _, value = word.partition("=")
        if name in ("--config-dir", "-cd"):
            folder = Path(value or next(rest, "")).expanduser()
            if not folder.is_dir():
                raise refuse(f"there is no folder {str(folder)!r}", "--config-dir", "--config-dir FOLDER")
            folders.append(folder.resolve())
        else:
            overrides.append(word)
    return overrides, folders


def typed_point(config: DictConfig, choices: Mapping[str, str], typed: Sequence[str]) -> Point:
    """Check a composed configuration against the schema.

    `choices` (option by group) and `typed` (the overrides) tell where a wrong value comes from. Raises `Refused` with
    all problems.
    """
    try:
        missing = OmegaConf.missing_keys(config)
        if missing:
            raise Refused(*(_missing(key, choices, typed) for key in sorted(missing)))
        values = OmegaConf.to_container(config, resolve=True)
    except OmegaConfBaseException as error:
        raise Refused(Problem(str(error).splitlines()[0], str(error.full_key), check="interpolation")) from None
    try:
        return Point.model_validate(values)
    except ValidationError as error:
        raise Refused(*_problems(error, choices, typed)) from None


def chosen_words(typed: Sequence[str]) -> list[str]:
    """The options typed on the command line, as a short label for the run folder."""
    pairs = (override.partition("=") for override in typed)
    chosen = [(key, value) for key, _, value in pairs if key in GROUPS and key != "tracker"]
    return [f"no-{key}" if value == "none" else value for key, value in chosen]


def _problems(error: ValidationError, choices: Mapping[str, str], typed: Sequence[str]) -> Iterator[Problem]:
    for detail in error.errors():
        path = [str(part) for part in detail["loc"]]
        key = ".".join(path)
        what, fix = _explain(detail, path, typed)
        yield Problem(what, f"{key} ({origin(key, choices, typed)})", fix, "schema")


def _explain(detail: ErrorDetails, path: list[str], typed: Sequence[str]) -> tuple[str, str]:
    kind, given = detail["type"], detail["input"]
    key = ".".join(path)
    if kind == "extra_forbidden":
        names = _siblings(path)
        close = nearest(path[-1], names)
        hint = f"did you mean {close}?" if close else f"known keys: {', '.join(names)}"
        return f"there is no such key; {hint}", ""
    if kind == "missing":
        return "has no value", f"{key}=..."
    if kind == "literal_error":
        valid = [v.strip("'") for v in detail["ctx"]["expected"].replace(" or ", ", ").split(", ")]
        close = nearest(str(given), valid) or valid[0]
        return f"{given!r} is not one of {', '.join(valid)}", f"{key}={close}"
    if kind == "string_type":
        words = [word.lstrip("+").partition("=")[2] for word in typed if word.lstrip("+").startswith(f"{key}=")]
        return f"a text is needed (got {given!r})", shlex.quote(f'{key}="{words[-1]}"') if words else ""
    message = detail["msg"].removeprefix("Value error, ")
    return f"{message} (got {given!r})" if kind != "value_error" else message, ""


def _siblings(path: list[str]) -> list[str]:
    parent: Any = without_none(field_at([part for part in path[:-1] if not part.isdigit()])) if path[:-1] else Point
    if get_origin(parent) is list:
        (parent,) = get_args(parent)
    return list(parent.model_fields) if isinstance(parent, type) and issubclass(parent, BaseModel) else []


def _missing(key: str, choices: Mapping[str, str], typed: Sequence[str]) -> Problem:
    return Problem("must be given", f"{key} ({origin(key, choices, typed)})", f"{key}=...", "schema")


def origin(key: str, choices: Mapping[str, str], typed: Sequence[str]) -> str:
    """Where a value comes from: the command line, or the file of the group's chosen option."""
    words = [override.lstrip("+").partition("=")[0] for override in typed]
    values = [word for word in words if word not in GROUPS]
    if any(word == key or key.startswith(f"{word}.") or word.startswith(f"{key}.") for word in values):
        return "command line"
    group = key.split(".")[0]
    return f"conf/{group}/{choices[group]}.yaml" if group in choices else "conf/config.yaml"
