"""Computing on a thread of its own, so that a caller with a deadline can leave without it.

What was begun goes on and is there for the next request.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any

STEP = 4
"""Texts computed at a time: a caller waits at most for one step longer than for what is before it."""
WAITING = 4_096
"""Texts that may wait; more are refused, so that a flood of new documents cannot fill the memory."""


class Job:
    """Some texts on their way; ``values`` fills up as they are computed."""

    def __init__(self, texts: Sequence[str], compute: Callable[[list[str]], list[Any]]) -> None:
        self.texts = list(texts)
        self.compute = compute
        self.values: dict[str, Any] = {}
        self.failure: Exception | None = None
        self.done = threading.Event()

    def run(self) -> None:
        """Compute all; an error is kept for whoever asked."""
        try:
            for start in range(0, len(self.texts), STEP):
                part = self.texts[start : start + STEP]
                self.values.update(zip(part, self.compute(part), strict=True))
        except Exception as error:  # noqa: BLE001
            # The boundary of this thread: the error belongs to the caller, who reads it from the job
            self.failure = error
        finally:
            self.done.set()


class Background:
    """One worker, started with the first job."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._waiting = 0

    def submit(self, texts: Sequence[str], compute: Callable[[list[str]], list[Any]]) -> Job:
        """Queue texts; those beyond :data:`WAITING` are left out of the job."""
        with self._lock:
            taken = list(texts)[: max(0, WAITING - self._waiting)]
            self._waiting += len(taken)
            job = Job(taken, compute)
            if not taken:
                job.done.set()
                return job
            if self._thread is None or not self._thread.is_alive():
                # A daemon: nothing is lost with it that cannot be computed again
                self._thread = threading.Thread(target=self._work, name="ragsieve-features", daemon=True)
                self._thread.start()
        self._queue.put(job)
        return job

    def _work(self) -> None:
        while True:
            job = self._queue.get()
            job.run()
            with self._lock:
                self._waiting -= len(job.texts)
