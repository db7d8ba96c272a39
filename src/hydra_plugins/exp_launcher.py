"""What Hydra discovers: `-m` hands every point of a sweep to `exp.cluster.local`, which checks all before it runs any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher


class ExpLauncher(Launcher):
    """Runs the points of a sweep one after another, each in a process of its own."""

    def setup(self, *, hydra_context: Any, task_function: Any, config: Any) -> None:
        """Remember what is needed to compose the points."""
        self._loader = hydra_context.config_loader
        self._config = config

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Check all points, then run them; the process exits with the sweep's own status."""
        from exp.cluster.local import run_sweep

        composed = [self._loader.load_sweep_config(self._config, list(overrides)) for overrides in job_overrides]
        raise SystemExit(run_sweep(composed))


ConfigStore.instance().store(
    group="hydra/launcher", name="exp", node={"_target_": "hydra_plugins.exp_launcher.ExpLauncher"}, provider="exp"
)
