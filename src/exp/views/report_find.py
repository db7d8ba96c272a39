"""Which run a user means: a folder, a run id, the unique beginning of one, or simply the newest."""

from __future__ import annotations

from pathlib import Path

from exp.errors import nearest, refuse


def find_run(named: str | None, runs: Path) -> Path:
    """The folder of the run called `named`, or of the newest run under `runs` if None.

    Run ids begin with their time, so the newest is the last by name. Raises `Refused` if no run, or more than one,
    is meant.
    """
    if named and Path(named).is_dir():
        return Path(named)
    ids = sorted(path.name for path in runs.iterdir() if path.is_dir()) if runs.is_dir() else []
    if not ids:
        raise refuse("there is no run here yet", where=str(runs), fix="python -m exp.train")
    if named is None:
        return runs / ids[-1]
    if named in ids:
        return runs / named
    meant = [run for run in ids if run.startswith(named)]
    if len(meant) == 1:
        return runs / meant[0]
    if meant:
        raise refuse(
            f"{named!r} begins {len(meant)} runs: {_some(meant)}", str(runs), f"python -m exp report {meant[-1]}"
        )
    closest = nearest(named, ids) or ids[-1]
    raise refuse(f"no run is called {named!r} or begins so", str(runs), f"python -m exp report {closest}")


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
