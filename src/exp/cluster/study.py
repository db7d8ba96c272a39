"""A study kept in a file: fixed overrides and axes, turned into the same sweep that `-m` would run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import yaml
from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from exp.cluster.child import run_child
from exp.config.group import Group
from exp.errors import Problem, Refused, nearest, refuse
from exp.paths import sweeps_dir


class Study(Group):
    """The content of a file in `sweeps/`."""

    overrides: list[str] = Field(default_factory=list)
    """Overrides of every point."""
    axes: dict[str, list[str | int | float]] = Field(min_length=1)
    """Values of each axis; the points are all combinations."""


def main(words: Sequence[str]) -> int:
    """`exp sweep FILE [overrides]`: run the study's points; returns the sweep's exit status."""
    if not words or words[0] in ("-h", "--help"):
        print("usage: python -m exp sweep sweeps/NAME.yaml [overrides]\n\nstudies: " + ", ".join(_known()))
        return 0 if words else 2
    study = read_study(find_study(words[0]))
    command = [sys.executable, "-m", "exp.train", "-m", *sweep_overrides(study), *words[1:]]
    return run_child(command)


def sweep_overrides(study: Study) -> list[str]:
    """The study in Hydra's sweep syntax."""
    return study.overrides + [f"{key}={','.join(str(value) for value in values)}" for key, values in study.axes.items()]


def find_study(name: str) -> Path:
    """The file itself, or the shipped study of that name. Raises `Refused` with the nearest name."""
    for candidate in (Path(name), sweeps_dir() / Path(name).name, sweeps_dir() / f"{name}.yaml"):
        if candidate.is_file():
            return candidate
    close = nearest(Path(name).stem, _known())
    fix = f"python -m exp sweep sweeps/{close}.yaml" if close else ""
    raise refuse(f"there is no study {name!r}; there are {', '.join(_known())}", "sweep", fix)


def read_study(file: Path) -> Study:
    """Parse and check a study. Raises `Refused` with every problem, by file and key."""
    try:
        return Study.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    except yaml.YAMLError as error:
        raise refuse(f"is not YAML: {error}", str(file)) from None
    except ValidationError as error:
        raise Refused(*(_problem(file, detail) for detail in error.errors())) from None


def _problem(file: Path, detail: ErrorDetails) -> Problem:
    key = ".".join(str(part) for part in detail["loc"])
    return Problem(detail["msg"], f"{file}: {key}" if key else str(file), check="study")


def _known() -> list[str]:
    return sorted(file.stem for file in sweeps_dir().glob("*.yaml"))
