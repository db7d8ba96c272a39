"""conf/ and sweeps/ are found from any folder, in a checkout and in an installed wheel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from exp.errors import Refused
from exp.paths import conf_dir, shipped, sweeps_dir

ASK = "import exp.paths; print(exp.paths.__file__, exp.paths.conf_dir(), exp.paths.sweeps_dir(), sep='\\n')"


def ask_from_root(python_path: str = "") -> list[Path]:
    """exp/paths.py, conf/ and sweeps/ as a Python started in / finds them."""
    env = {**os.environ, "PYTHONPATH": python_path}
    done = subprocess.run([sys.executable, "-c", ASK], cwd="/", env=env, capture_output=True, text=True, check=True)
    return [Path(line) for line in done.stdout.splitlines()]


def files_below(folder: Path) -> set[Path]:
    files = {file.relative_to(folder) for file in folder.rglob("*") if file.is_file()}
    return {file for file in files if "__pycache__" not in file.parts}


def test_a_checkout_uses_its_own_folders_from_anywhere(repo_root: Path) -> None:
    assert ask_from_root() == [repo_root / "src/exp/paths.py", repo_root / "conf", repo_root / "sweeps"]
    assert files_below(conf_dir())
    assert files_below(sweeps_dir())


def test_an_installed_wheel_carries_every_shipped_file(repo_root: Path, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(repo_root)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (wheel,) = tmp_path.glob("exp-*.whl")
    site = tmp_path / "site packages"
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True, capture_output=True, text=True)

    assert ask_from_root(str(site)) == [site / "exp/paths.py", site / "exp/conf", site / "exp/sweeps"]
    assert files_below(site / "exp/conf") == files_below(repo_root / "conf")
    assert files_below(site / "exp/sweeps") == files_below(repo_root / "sweeps")
    assert files_below(repo_root / "src") <= files_below(site)


def test_a_folder_beside_an_installed_package_is_not_taken_for_ours(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "exp"
    package.mkdir(parents=True)
    (tmp_path / "conf").mkdir()
    with pytest.raises(Refused, match=r"the folder conf/ .* is missing"):
        shipped("conf", package)
