"""Where the shipped YAML files lie: beside src/ in a checkout, inside the package in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from exp.errors import refuse


def conf_dir() -> Path:
    """Absolute path of conf/, the configuration groups. Raises `Refused` if the installation lacks it."""
    return shipped("conf", Path(__file__).resolve().parent)


def sweeps_dir() -> Path:
    """Absolute path of sweeps/, the studies. Raises `Refused` if the installation lacks it."""
    return shipped("sweeps", Path(__file__).resolve().parent)


def shipped(name: str, package: Path) -> Path:
    """The folder `name` that belongs to the package folder `package`: inside it, or beside the src/ that holds it."""
    inside = package / name
    if inside.is_dir():
        return inside
    source_root = package.parent
    beside = source_root.parent / name
    # Only under src/: beside an installed package an unrelated folder may have the same name.
    if source_root.name == "src" and beside.is_dir():
        return beside
    raise refuse(
        f"the folder {name}/ that belongs to this installation of exp is missing",
        where=str(package),
        fix="run `pip install -e .` in a checkout, or install the wheel again",
    )
