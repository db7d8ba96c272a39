"""A user's own function, named `path/to/file.py:function`."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from exp.errors import nearest, refuse


def is_path(name: str) -> bool:
    """Whether `name` names a function of a file rather than an entry of a table."""
    return ".py:" in name


def load_function(name: str) -> Callable[..., Any]:
    """The function of the file; the path is relative to the working directory. Raises `Refused` if there is none.

    An error inside the file is the user's to see: it propagates.
    """
    path, _, function = name.rpartition(":")
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise refuse(f"there is no file {path}", where=name)
    module = _load(file, file.stat().st_mtime_ns)
    found = getattr(module, function, None)
    if not callable(found):
        functions = [n for n, value in vars(module).items() if callable(value) and not n.startswith("_")]
        close = nearest(function, functions)
        hint = f"did you mean {path}:{close}?" if close else ""
        raise refuse(
            f"{path} has no function {function!r}. {hint}".strip(), where=name, fix=f"{path}:{close}" if close else ""
        )
    result: Callable[..., Any] = found
    return result


@lru_cache(maxsize=64)
def _load(file: Path, changed: int) -> Any:
    name = f"exp_user_{hashlib.sha256(f'{file}{changed}'.encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles inside the file look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
