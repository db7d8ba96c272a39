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

    def __init__(self, root: Path, say: Callable[[str], None] = print) -> None:
        self.root = root
        self.say = say

    def find(self, stage: str, identity: str) -> Artifact | None:
        """The finished artifact, verified, or None. A damaged one is set aside under another name, with a message."""
        folder = self.root / stage / identity
        if not (folder / MANIFEST).exists():
            return None
        manifest = json.loads((folder / MANIFEST).read_text())
        if wrong := damage(folder, manifest["files"]):
            aside = folder.with_name(f"{identity}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
            folder.rename(aside)
            self.say(f"artifact {stage}/{identity} is damaged ({wrong}); kept as {aside.name}, made again")
            return None
        return Artifact(folder, manifest, reused=True)

    def obtain(
        self,
        stage: str,
        identity: str,
        inputs: Mapping[str, str],
        values: Mapping[str, Any],
        build: Callable[[Path], dict[str, Any]],
    ) -> Artifact:
        """The artifact: found, or built by `build(folder)`, whose result is kept in the manifest as `facts`.

        Only one process builds an artifact; another that wants it waits for the first to end. Raises `Refused` where
        the store cannot be
        written.
        """
        if found := self.find(stage, identity):
            return found
        with self._claim(stage, identity):
            if found := self.find(stage, identity):
                return found
            partial = self.root / stage / f"{identity}.partial"
            partial.mkdir(exist_ok=True)
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
                fcntl.flock(stream, fcntl.LOCK_EX)
            stream.truncate(0)
            stream.write(f"pid {os.getpid()} on {socket.gethostname()}\n")
            stream.flush()
            yield


def _try_lock(stream: IO[str]) -> bool:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
