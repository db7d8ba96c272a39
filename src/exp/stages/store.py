"""The content-addressed store: one folder per stage and identity, written once, never overwritten.

A stage works in `<identity>.partial`, which survives a crash so that the stage can resume, and is renamed when
everything is there.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from exp.errors import refuse
from exp.stages.files import damage, listing, write_json

MANIFEST = "manifest.json"
WAIT = 0.2
"""Seconds between looks at an artifact that another process is making."""


@dataclass(frozen=True)
class Artifact:
    """What a stage left."""

    folder: Path
    manifest: dict[str, Any]
    reused: bool
    """Whether it was there before."""

    @property
    def identity(self) -> str:
        """The stage's identity, which names the folder."""
        return str(self.manifest["identity"])


class Store:
    """Artifacts under `root/<stage>/<identity>/`."""

    def __init__(
        self, root: Path, say: Callable[[str], None] = print, check: Callable[[], None] = lambda: None
    ) -> None:
        """`say` is told what a user should know; `check` is called while waiting and may raise to end the wait."""
        self.root = root
        self.say = say
        self.check = check

    def find(self, stage: str, identity: str) -> Artifact | None:
        """The finished artifact, verified; None where there is none, or a damaged one."""
        folder = self.root / stage / identity
        return None if _flaw(folder) else Artifact(folder, _manifest(folder), reused=True)

    def obtain(
        self,
        stage: str,
        identity: str,
        inputs: Mapping[str, str],
        values: Mapping[str, Any],
        build: Callable[[Path], dict[str, Any]],
    ) -> Artifact:
        """The artifact: found, or built by `build(folder)`, whose result is kept in the manifest as `facts`.

        Only one process builds an artifact; another that wants it waits for the first to end. A damaged artifact is
        kept under another name and made again. Raises `Refused` where the store cannot be written.
        """
        if found := self.find(stage, identity):
            return found
        with self._claim(stage, identity):
            if found := self.find(stage, identity):
                return found
            self._set_aside(stage, identity)
            partial = self.root / stage / f"{identity}.partial"
            partial.mkdir(exist_ok=True)
            # A crash between the manifest and the renaming leaves one here; it must not be listed as content.
            (partial / MANIFEST).unlink(missing_ok=True)
            started = time.time()
            facts = build(partial)
            manifest = {
                "stage": stage,
                "identity": identity,
                "inputs": dict(inputs),
                "values": dict(values),
                "facts": facts,
                "created": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
                "seconds": round(time.time() - started, 2),
                "host": socket.gethostname(),
                "files": listing(partial),
            }
            write_json(partial / MANIFEST, manifest)
            partial.rename(self.root / stage / identity)
        return Artifact(self.root / stage / identity, manifest, reused=False)

    def _set_aside(self, stage: str, identity: str) -> None:
        folder = self.root / stage / identity
        if folder.exists():
            aside = folder.with_name(f"{identity}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
            self.say(f"artifact {stage}/{identity} is damaged ({_flaw(folder)}); kept as {aside.name}, made again")
            folder.rename(aside)

    @contextmanager
    def _claim(self, stage: str, identity: str) -> Iterator[None]:
        """Hold the lock of one artifact. The kernel frees it when the holder ends, however it ends."""
        folder = self.root / stage
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stream = (folder / f".{identity}.lock").open("a+")
        except OSError as error:
            raise refuse(f"cannot write to {folder}: {error.strerror}", "outputs", "outputs=FOLDER") from None
        with stream:
            if not _try_lock(stream):
                stream.seek(0)
                self.say(
                    f"{stage}/{identity} is being made by another process ({stream.read().strip()}); waiting for it"
                )
                while not _try_lock(stream):
                    self.check()
                    time.sleep(WAIT)
            stream.truncate(0)
            stream.write(f"pid {os.getpid()} on {socket.gethostname()}\n")
            stream.flush()
            yield


def _manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
    return content


def _flaw(folder: Path) -> str:
    """What keeps a folder from being a whole artifact, "" if nothing does."""
    if not (folder / MANIFEST).is_file():
        return f"{MANIFEST} is missing"
    try:
        return damage(folder, _manifest(folder)["files"])
    except (ValueError, KeyError):  # half a file, or not ours: the artifact cannot be trusted
        return f"{MANIFEST} cannot be read"


def _try_lock(stream: IO[str]) -> bool:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
