"""One execution of a point: its folder, its store, its record, and what every stage needs."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exp.config.point import Point
from exp.data.prompts import PromptBuilder
from exp.errors import refuse
from exp.models.source import Source
from exp.stages.files import write_json
from exp.stages.stopping import Stopper
from exp.stages.store import Store
from exp.tracking.record import Record

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

STATUS = "status.json"


@dataclass
class Run:
    """What a stage function is given beside its step and folder."""

    point: Point
    folder: Path
    store: Store
    record: Record
    stopper: Stopper
    base: Source

    @cached_property
    def _loaded_tokenizer(self) -> PreTrainedTokenizerBase:
        from exp.models.tokenizer import load_tokenizer

        return load_tokenizer(self.base)

    @cached_property
    def prompts(self) -> PromptBuilder:
        """The one place that turns questions into tokens. Raises `Refused` if turns end otherwise than expected."""
        model = self.point.model
        prompts = PromptBuilder(self._loaded_tokenizer, self.point.format, model.template_options)
        found = self._loaded_tokenizer.convert_ids_to_tokens(prompts.stop_ids[0])
        if model.stop_token and found != model.stop_token:
            what = f"the template of {self.base.location!r} ends a turn with {found!r}, not with {model.stop_token!r}"
            raise refuse(what, "model.stop_token", f"model.stop_token='\"{found}\"', or the model this file is for")
        return prompts

    @cached_property
    def tokenizer(self) -> PreTrainedTokenizerBase:
        """The base model's tokenizer; its end token is what the template writes after a turn."""
        tokenizer = self._loaded_tokenizer
        tokenizer.eos_token = tokenizer.convert_ids_to_tokens(self.prompts.stop_ids[0])
        return tokenizer


def open_folder(outputs: Path, point_id: str, slug: str) -> Path:
    """The run folder of a point: that of its unfinished run if there is one, else a new one that nobody else has.

    Raises `Refused` where `outputs` cannot be written.
    """
    runs = outputs / "runs"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        # Looking and making are one act: of two processes that start a point at once, the second finds the first's.
        with (runs / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for folder in sorted(runs.glob(f"*-{point_id[:8]}"), reverse=True):
                if read_state(folder) != "done":
                    return folder
            return _new_folder(runs, f"{slug}-{point_id[:8]}")
    except OSError as error:
        raise refuse(f"cannot write to {runs}: {error.strerror}", "outputs", "outputs=FOLDER") from None


@contextmanager
def sole_owner(folder: Path) -> Iterator[None]:
    """Hold the run's lock while the block runs. Raises `Refused` if another process is executing this run."""
    with (folder / ".lock").open("a+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stream.seek(0)
            owner = stream.read().strip()
            raise refuse(f"this point is being run already ({owner}) in {folder}; nothing was started", "run") from None
        stream.truncate(0)
        stream.write(f"pid {os.getpid()} on {socket.gethostname()}")
        stream.flush()
        yield


def read_state(folder: Path) -> str:
    """The word in a run's status file: `running`, `done`, `failed`, `interrupted`; "" if there is none yet."""
    file = folder / STATUS
    return str(json.loads(file.read_text())["state"]) if file.exists() else ""


def write_state(folder: Path, state: str, **facts: Any) -> None:
    """Record the run's state, from inside the process that knows it."""
    now = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    write_json(
        folder / STATUS, {"state": state, "pid": os.getpid(), "host": socket.gethostname(), "updated": now, **facts}
    )


def _new_folder(runs: Path, name: str) -> Path:
    """Make `<time>-<name>`; a later second if this one is taken."""
    while True:
        folder = runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}"
        try:
            folder.mkdir()
        except FileExistsError:
            time.sleep(0.2)
        else:
            return folder
