"""One run from a composed configuration to its exit code: check, claim a folder, run the steps, write the result."""

from __future__ import annotations

import os
import platform
import re
import signal
import sys
import time
import traceback
from importlib.metadata import distributions
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from exp.config.compose import chosen_words, typed_point
from exp.config.point import Point
from exp.errors import Refused
from exp.messages import print_refusal
from exp.models.source import Source
from exp.monitors.alert import Alert
from exp.monitors.watch import Monitors
from exp.preflight.contracts import require_contracts
from exp.preflight.resolve import resolve
from exp.stages.files import write_json, write_text
from exp.stages.loop import run_steps
from exp.stages.plan import Step, point_id
from exp.stages.result import result
from exp.stages.run import Run, open_folder, sole_owner, write_state
from exp.stages.stopping import Interrupted, Stopper
from exp.stages.store import Artifact, Store
from exp.tracking.record import Record
from exp.views.progress import Terminal

if TYPE_CHECKING:
    from exp.tracking.wandb_view import WandbView

DONE, FAILED, REFUSED = 0, 1, 2


def run_config(config: DictConfig) -> int:
    """Run a composed configuration and return the process's exit code.

    0 all stages done; 1 a stage failed; 2 refused before any work; 75 stopped by the scheduler, please requeue; 130
    stopped by Ctrl-C.
    """
    try:
        hydra = HydraConfig.get()
        typed = list(hydra.overrides.task)
        return run_point(typed_point(config, hydra.runtime.choices, typed), typed)
    except Refused as refused:
        print_refusal(refused)
        return REFUSED


def run_point(point: Point, overrides: list[str], screen: IO[str] = sys.stdout) -> int:
    """Run a typed point, as `run_config` does; raises `Refused` where nothing was run."""
    require_contracts(point)
    base, steps = resolve(point)
    slug = point.label or "-".join(chosen_words(overrides)) or "default"
    folder = open_folder(Path(point.outputs), point_id(steps), _slug(slug))
    with sole_owner(folder):
        return _run(point, base, steps, folder, overrides, screen)


def _run(point: Point, base: Source, steps: list[Step], folder: Path, overrides: list[str], screen: IO[str]) -> int:
    _quieten()
    describe(folder, point, overrides)
    terminal = Terminal(screen, folder, steps)
    trackers = _trackers(point, folder, terminal)
    record = Record(folder / "metrics.jsonl", [terminal, *trackers])
    record.listeners.append(Monitors(point, folder, lambda alert: _tell(alert, terminal, trackers)))
    stopper = Stopper(terminal.say)
    store = Store(Path(point.outputs).resolve() / "store", record.say, stopper.check)
    run = Run(point, folder, store, record, stopper, base)
    finished: list[tuple[Step, Artifact]] = []
    started = time.time()
    try:
        with stopper.listening():
            write_state(folder, "running")
            run.base = _loadable(run)
            run_steps(run, steps, lambda step, artifact: finished.append((step, artifact)))
            off = [stage for stage in ("sft", "grpo", "eval") if not getattr(point, stage).enabled]
            content = result(folder.name, point_id(steps), finished, off, time.time() - started)
            _conclude(folder, content, terminal, trackers)
        return DONE
    except Interrupted as interrupted:
        write_state(folder, "interrupted", reason=str(interrupted))
        terminal.interrupted(interrupted)
        return interrupted.exit_code
    except KeyboardInterrupt:
        write_state(folder, "interrupted", reason="second Ctrl-C")
        terminal.say("Stopped at once; the same command resumes from the last checkpoint.")
        return Interrupted(signal.SIGINT).exit_code
    except Refused as refused:
        write_state(folder, "failed", reason=str(refused))
        terminal.close()
        print_refusal(refused, "the run stopped; what was finished before is kept")
        return FAILED
    except Exception as error:  # whatever it was, the run's own folder must tell
        terminal.failed(error)
        _leave_trace(folder, error)
        return FAILED
    finally:
        terminal.close()
        for tracker in trackers:
            tracker.close()


def _tell(alert: Alert, terminal: Terminal, trackers: list[WandbView]) -> None:
    terminal.say(str(alert))
    for tracker in trackers:
        tracker.alert(alert.monitor, str(alert), urgent=alert.severity == "warning")


def _quieten() -> None:
    """Keep the libraries' own bars off the screen, and their idle threads off cores that others use."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TQDM_DISABLE", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _conclude(folder: Path, content: dict[str, Any], terminal: Terminal, trackers: list[WandbView]) -> None:
    from exp.views.report import write_report
    from exp.views.table import print_result

    write_json(folder / "result.json", content)
    write_report(folder)
    write_state(folder, "done")
    for tracker in trackers:
        tracker.result(content)
    terminal.close()
    print_result(content, terminal.console)
    terminal.finished(folder)


def _leave_trace(folder: Path, error: Exception) -> None:
    """Write traceback and state into the run folder; where that is impossible (a full disk), print the traceback."""
    try:
        write_text(folder / "error.txt", "".join(traceback.format_exception(error)))
        write_state(folder, "failed", reason=f"{type(error).__name__}: {error}")
    except OSError as full:
        print(f"cannot write into {folder}: {full.strerror}", file=sys.stderr)
        traceback.print_exception(error)


def _loadable(run: Run) -> Source:
    """The base itself, or its dequantised copy from the store where the weights come as GGUF."""
    base = run.base
    if not base.gguf_file:
        return base
    from exp.models.load import dequantise

    def build(folder: Path) -> dict[str, str]:
        run.record.say(f"dequantising {base.gguf_file} once")
        dequantise(base, folder)
        return {"from": base.gguf_file or ""}

    artifact = run.store.obtain("base", base.identity, {}, {}, build)
    return Source(str(artifact.folder), base.identity)


def _trackers(point: Point, folder: Path, terminal: Terminal) -> list[WandbView]:
    if point.tracker.kind == "none":
        return []
    from exp.tracking.wandb_view import WandbView

    return [WandbView(point, folder, terminal.say)]


def describe(folder: Path, point: Point, overrides: list[str]) -> None:
    """Write the resolved configuration, the overrides and the environment into the run folder, once."""
    if (folder / "config.yaml").exists():
        return
    from omegaconf import OmegaConf

    write_text(folder / "overrides.txt", "".join(f"{o.lstrip('+')}\n" for o in overrides))
    packages = sorted({f"{d.metadata['Name']}=={d.version}" for d in distributions()})
    environment = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": packages,
        "command": sys.argv,
    }
    write_json(folder / "environment.json", environment)
    write_text(folder / "config.yaml", OmegaConf.to_yaml(OmegaConf.create(point.model_dump(mode="json"))))


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", text).strip("-")[:60] or "run"
