"""From overrides to a typed point: Hydra composes, the schema checks, and every problem is reported at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from exp.config.overrides import GROUPS, check_overrides, field_at
from exp.config.point import Point
from exp.errors import Problem, Refused, nearest
from exp.paths import conf_dir


def compose_point(overrides: Sequence[str], folder: Path | None = None) -> Point:
    """Compose `conf/config.yaml` (or that of `folder`) with the overrides and check the result against the schema.

    Raises `Refused` with all problems.
    """
    accepted = check_overrides(overrides)
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(folder or conf_dir()), version_base="1.3"):
        config = compose("config", accepted, return_hydra_config=True)
    hydra = config.hydra
    with open_dict(config):
        del config["hydra"]
    return typed_point(config, hydra.runtime.choices, hydra.overrides.task)


def typed_point(config: DictConfig, choices: Mapping[str, str], typed: Sequence[str]) -> Point:
    """Check a composed configuration against the schema.

    `choices` (option by group) and `typed` (the overrides) tell where a wrong value comes from. Raises `Refused` with
    all problems.
    """
    missing = OmegaConf.missing_keys(config)
    if missing:
        raise Refused(*(_missing(key, choices, typed) for key in sorted(missing)))
    try:
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
        what, fix = _explain(detail, path)
        yield Problem(what, f"{key} ({origin(key, choices, typed)})", fix, "schema")


def _explain(detail: ErrorDetails, path: list[str]) -> tuple[str, str]:
    kind, given = detail["type"], detail["input"]
    key = ".".join(path)
    if kind == "extra_forbidden":
        names = _siblings(path)
        close = nearest(path[-1], names)
        fixed = ".".join([*path[:-1], close])
        return "there is no such key", f"{fixed}={given}" if close else f"known keys: {', '.join(names)}"
    if kind == "missing":
        return "has no value", f"{key}=..."
    if kind == "literal_error":
        valid = [v.strip("'") for v in detail["ctx"]["expected"].replace(" or ", ", ").split(", ")]
        close = nearest(str(given), valid) or valid[0]
        return f"{given!r} is not one of {', '.join(valid)}", f"{key}={close}"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{message} (got {given!r})" if kind != "value_error" else message, ""


def _siblings(path: list[str]) -> list[str]:
    parent: Any = field_at(path[:-1]) if path[:-1] else Point
    return list(parent.model_fields) if isinstance(parent, type) and issubclass(parent, BaseModel) else []


def _missing(key: str, choices: Mapping[str, str], typed: Sequence[str]) -> Problem:
    return Problem("must be given", f"{key} ({origin(key, choices, typed)})", f"{key}=...", "schema")


def origin(key: str, choices: Mapping[str, str], typed: Sequence[str]) -> str:
    """Where a value comes from: the command line, or the file of the group's chosen option."""
    words = [override.lstrip("+").partition("=")[0] for override in typed]
    if any(word == key or key.startswith(f"{word}.") or word.startswith(f"{key}.") for word in words if "." in word):
        return "command line"
    group = key.split(".")[0]
    return f"conf/{group}/{choices[group]}.yaml" if group in choices else "conf/config.yaml"
