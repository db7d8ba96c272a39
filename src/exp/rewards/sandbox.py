"""Requests to worker processes that can be killed: safe from any thread, beside CUDA, and after a fork.

Workers are started with `subprocess` (never a bare fork), when first needed, one per concurrent thread. A request that
passes its time limit costs its worker's life; a spare worker stands by.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

SECONDS = 1.7  # on the clock for one request, so that a verification stays under two
MIN_SECONDS = 1.0  # what is left of them for a request that had to wait for its worker's start
CPU_SHARE = 0.6  # of these seconds in CPU time: hostile requests end sooner, honest ones on a busy machine may wait
STARTUP_SECONDS = 60.0  # a cold network file system imports slowly
MAX_REQUESTS = 2_000  # then the worker is replaced: computer algebra caches without bound


class TimedOut(Exception):
    """The request did not end in time, or its worker died of it (CPU time, memory)."""


class Sandbox:
    """A pool of workers of one kind: `algebra` (math-verify and sympy) or `user` (a user's verifiers)."""

    def __init__(self, kind: str, memory_gib: int, seconds: float = SECONDS) -> None:
        self.kind, self.memory_gib, self.seconds = kind, memory_gib, seconds
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        atexit.register(self.close)
        # A forked child shares the pipes of its parent's workers: it must not talk to them, nor end them.
        os.register_at_fork(after_in_child=self._forget)

    def request(self, operation: str, seconds: float | None = None, **arguments: str) -> dict[str, Any]:
        """The worker's reply. Raises `TimedOut`; the worker is then gone."""
        worker = self._acquire()
        self.prepare()  # a spare one, for the request that comes after this one's worker had to be killed
        try:
            reply = worker.ask({"operation": operation, **arguments}, seconds or self.seconds)
        except BaseException:
            self._discard(worker)
            raise
        if worker.requests < MAX_REQUESTS:
            with self._lock:
                self._idle.append(worker)
        else:
            self._discard(worker)
        return reply

    def prepare(self) -> None:
        """Start a worker in the background if none is idle, so that the next request need not wait for it."""
        with self._lock:
            ready = bool(self._idle)
        if not ready:
            worker = self._start()
            with self._lock:
                self._idle.append(worker)

    def close(self) -> None:
        """End all workers and wait for them."""
        with self._lock:
            workers, self._all, self._idle = list(self._all), set(), []
        for worker in workers:
            worker.kill()

    def _forget(self) -> None:
        self._lock, self._idle, self._all = threading.Lock(), [], set()

    def _acquire(self) -> _Worker:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        return worker or self._start()

    def _start(self) -> _Worker:
        worker = _Worker(self.kind, self.memory_gib)
        with self._lock:
            self._all.add(worker)
        return worker

    def _discard(self, worker: _Worker) -> None:
        worker.kill()
        with self._lock:
            self._all.discard(worker)


class _Worker:
    def __init__(self, kind: str, memory_gib: int) -> None:
        paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
        environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        # -P: a `random.py` in the user's folder must not be imported. A session of its own: Ctrl-C is for the trainer.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "exp.rewards.worker", str(memory_gib), kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        self.started = False
        self.requests = 0

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        if not self.started:
            began = time.monotonic()
            self._wait_for_start()
            seconds = max(MIN_SECONDS, seconds - (time.monotonic() - began))
        self.requests += 1
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps({**request, "cpu_seconds": CPU_SHARE * seconds}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise TimedOut("the worker has ended") from error
        reply: dict[str, Any] = json.loads(self._read_line(seconds))
        return reply

    def _wait_for_start(self) -> None:
        try:
            self._read_line(STARTUP_SECONDS)
        except TimedOut as error:
            command = " ".join(str(argument) for argument in self.process.args)  # type: ignore[union-attr]
            raise RuntimeError(
                f"the verification worker does not start ({error}); to see why, run: {command}"
            ) from error
        self.started = True

    def _read_line(self, seconds: float) -> bytes:
        assert self.process.stdout
        descriptor, deadline, received = self.process.stdout.fileno(), time.monotonic() + seconds, b""
        poll = select.poll()  # select() refuses descriptors above 1023, which trainers reach
        poll.register(descriptor, select.POLLIN)
        while not received.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                raise TimedOut(f"no reply within {seconds:.1f} s")
            chunk = os.read(descriptor, 65536)
            if not chunk:
                raise TimedOut("the worker reached its CPU or memory limit")
            received += chunk
        return received

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with contextlib.suppress(BrokenPipeError):  # unsent bytes of a request whose worker is gone
                    pipe.close()
