"""What Hydra discovers: `-m` hands the points of a sweep to `exp.cluster.local`, which checks all, then runs them."""

from __future__ import annotations

from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.plugins.sweeper import Sweeper


class ExpSweeper(Sweeper):
    """Composes every combination of the values; unlike Hydra's own sweeper it writes no file of its own."""

    def setup(self, *, hydra_context: Any, task_function: Any, config: Any) -> None:
        """Remember what is needed to compose the points."""
        self._loader = hydra_context.config_loader
        self._config = config

    def sweep(self, arguments: list[str]) -> Any:
        """Check all points, then run them; the process exits with the sweep's own status."""
        from exp.cluster.local import run_sweep

        overrides = OverridesParser.create(config_loader=self._loader).parse_overrides(arguments)
        (points,) = BasicSweeper.split_arguments(overrides, max_batch_size=None)
        composed = [self._loader.load_sweep_config(self._config, list(point)) for point in points]
        raise SystemExit(run_sweep(composed))


ConfigStore.instance().store(
    group="hydra/sweeper", name="exp", node={"_target_": "hydra_plugins.exp_sweeper.ExpSweeper"}, provider="exp"
)
