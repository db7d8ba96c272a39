"""Habits of the source: short files, and a docstring that says what each module is for."""

from __future__ import annotations

import ast
from pathlib import Path

LONGEST = 300


def python_files(root: Path, *folders: str) -> list[Path]:
    files = [file for folder in folders for file in sorted((root / folder).rglob("*.py"))]
    assert files
    return files


def test_no_file_is_longer_than_300_lines(repo_root: Path) -> None:
    files = python_files(repo_root, "src", "tests", "benchmarks")
    lengths = {str(f.relative_to(repo_root)): len(f.read_text("utf-8").splitlines()) for f in files}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


def test_every_module_says_what_it_is_for(repo_root: Path) -> None:
    files = python_files(repo_root, "src", "benchmarks")
    silent = [str(f.relative_to(repo_root)) for f in files if not ast.get_docstring(ast.parse(f.read_text("utf-8")))]
    assert silent == []
