"""Which room may import which, and which modules stay clear of the slow libraries."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

# From the bottom up: a room imports its own layer and those before it.
LAYERS = (
    {"exp", "errors", "messages", "paths", "statistics"},
    {"contract", "config"},
    {"data", "rewards"},
    {"monitors"},
    {"models"},
    {"tracking"},
    {"stages"},
    {"preflight", "cluster", "views"},
    {"run", "train", "__main__", "hydra_plugins"},
)
LAYER = {room: depth for depth, rooms in enumerate(LAYERS) for room in rooms}
# Stages write through tracking, and tracking knows nothing of data, rewards or models.
NARROW = {
    "tracking": LAYERS[0] | LAYERS[1] | {"tracking"},
    "monitors": LAYERS[0] | LAYERS[1] | {"rewards", "monitors"},
}

SLOW = {"torch", "transformers", "trl", "peft", "datasets", "vllm", "unsloth", "wandb"}
QUICK_ROOMS = {
    "contract",
    "config",
    "rewards",
    "monitors",
    "cluster",
    "views",
    "tracking",
    "run",
    "train",
    "__main__",
    "hydra_plugins",
}


def modules(source: Path) -> Iterator[tuple[str, Path]]:
    """(dotted name, file) of every module below `source`."""
    for file in sorted(source.rglob("*.py")):
        parts = file.relative_to(source).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def room_of(module: str) -> str:
    """The room a dotted module name belongs to; "exp" for the package itself."""
    parts = module.split(".")
    return parts[1] if parts[0] == "exp" and len(parts) > 1 else parts[0]


def imports(nodes: Iterable[ast.AST], module: str, file: Path, source: Path) -> Iterator[tuple[int, str]]:
    """(line, absolute dotted name) of everything that the import statements among `nodes` bring in."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, name) for name in imported_from(node, module, file, source))


def imported_from(node: ast.ImportFrom, module: str, file: Path, source: Path) -> list[str]:
    base = node.module or ""
    if node.level:
        package = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
        base = ".".join([*package[: len(package) - node.level + 1], *([base] if base else [])])
    if base != "exp":
        return [base]
    # `from exp import name`: a room, or an attribute of the package itself.
    folder = source / "exp"
    is_room = {a.name: (folder / a.name).is_dir() or (folder / f"{a.name}.py").is_file() for a in node.names}
    return [f"exp.{name}" if found else "exp" for name, found in is_room.items()]


def at_import_time(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes that run when the module is imported: not function bodies, not `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            yield from (n for part in child.orelse for n in [part, *at_import_time(part)])
            continue
        yield child
        yield from at_import_time(child)


def arrows(source: Path) -> Iterator[tuple[str, int, str]]:
    """(module, line, imported name) of every import between rooms, wherever in the file it stands."""
    for module, file in modules(source):
        for line, name in imports(ast.walk(ast.parse(file.read_text("utf-8"))), module, file, source):
            if name.split(".")[0] in {"exp", "hydra_plugins"}:
                yield module, line, name


def wrong_arrows(source: Path) -> list[str]:
    """One line for each import of a room that the importing room may not know, and for each room without a layer."""
    rooms = {room_of(module) for module, _ in modules(source)}
    wrong = [f"the room {room} has no place in LAYERS" for room in sorted(rooms - LAYER.keys())]
    for module, line, name in arrows(source):
        room, target = room_of(module), room_of(name)
        if LAYER.get(target, len(LAYERS)) > LAYER.get(room, -1) or target not in NARROW.get(room, {target}):
            wrong.append(f"{module}:{line} imports {name}")
    return wrong


def mutual_imports(source: Path) -> list[str]:
    """Pairs of rooms that import each other."""
    pairs = {(room_of(module), room_of(name)) for module, _, name in arrows(source)}
    return sorted(f"{a} and {b} import each other" for a, b in pairs if a < b and (b, a) in pairs)


def slow_imports(source: Path) -> list[str]:
    """One line for each slow library that a quick room imports at module level."""
    return [
        f"{module}:{line} imports {name}"
        for module, file in modules(source)
        if room_of(module) in QUICK_ROOMS
        for line, name in imports(at_import_time(ast.parse(file.read_text("utf-8"))), module, file, source)
        if name.split(".")[0] in SLOW
    ]


def plant(source: Path, **files: str) -> Path:
    """A source tree of files named like `contract__format` (contract/format.py)."""
    for name, text in files.items():
        file = source.joinpath("exp", *name.split("__")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return source


def test_every_arrow_points_down(repo_root: Path) -> None:
    assert len(list(modules(repo_root / "src"))) > 1
    assert wrong_arrows(repo_root / "src") == []


def test_no_two_rooms_import_each_other(repo_root: Path) -> None:
    assert mutual_imports(repo_root / "src") == []


def test_quick_rooms_import_no_slow_library_at_module_level(repo_root: Path) -> None:
    assert slow_imports(repo_root / "src") == []


def test_importing_every_quick_module_loads_no_slow_library(repo_root: Path) -> None:
    quick = [name for name, _ in modules(repo_root / "src") if room_of(name) in QUICK_ROOMS]
    assert quick
    program = (
        "import importlib, sys\n"
        f"for name in {quick}:\n"
        "    importlib.import_module(name)\n"
        f"    loaded = sorted({SLOW} & set(sys.modules))\n"
        "    if loaded: sys.exit(f'{name} loads {loaded}')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("files", "report"),
    [
        ({"contract__format": "import exp.rewards.strict"}, "exp.contract.format:1 imports exp.rewards.strict"),
        ({"contract__format": "from exp.data import rows"}, "exp.contract.format:1 imports exp.data"),
        ({"data__rows": "def f():\n    from ..models import load"}, "exp.data.rows:2 imports exp.models"),
        ({"errors": "from exp import stages", "stages__store": ""}, "exp.errors:1 imports exp.stages"),
        ({"stages__store": "from exp import preflight"}, None),
        ({"tracking__log": "from exp.models import load"}, "exp.tracking.log:1 imports exp.models"),
        ({"stages__store": "import exp.train"}, "exp.stages.store:1 imports exp.train"),
        ({"stages__store": "import exp.newroom"}, "exp.stages.store:1 imports exp.newroom"),
        ({"newroom__a": ""}, "the room newroom has no place in LAYERS"),
        ({"stages__store": "from exp.tracking import log\nfrom exp import __version__\nimport json"}, None),
    ],
)
def test_an_arrow_pointing_up_is_reported(tmp_path: Path, files: dict[str, str], report: str | None) -> None:
    assert wrong_arrows(plant(tmp_path, **files)) == ([report] if report else [])


def test_two_rooms_importing_each_other_are_reported(tmp_path: Path) -> None:
    source = plant(tmp_path, data__rows="import exp.rewards.strict", rewards__strict="import exp.data.rows")
    assert mutual_imports(source) == ["data and rewards import each other"]


@pytest.mark.parametrize(
    "statement", ["import torch", "from trl import GRPOConfig", "try:\n    import wandb\nfinally: pass"]
)
def test_a_slow_import_in_a_quick_room_is_reported(tmp_path: Path, statement: str) -> None:
    assert len(slow_imports(plant(tmp_path, views__table=statement))) == 1


@pytest.mark.parametrize(
    "statement", ["def f():\n    import torch", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch"]
)
def test_a_slow_import_that_does_not_run_on_import_is_fine(tmp_path: Path, statement: str) -> None:
    assert slow_imports(plant(tmp_path, views__table=statement)) == []
