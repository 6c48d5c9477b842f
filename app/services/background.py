"""Work of the owner that would keep a page waiting: one thread per name, its outcome kept until the next start."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from ragsieve_core.errors import RagsieveError

_log = logging.getLogger("ragsieve.background")
State = Literal["running", "done", "failed", "cancelled"]
Tell = Callable[[str, int, int], None]
"""Says how far work is: title, steps done, steps in all (0 = not known). Raises where the work was cancelled."""


class CancelledWorkError(Exception):
    """Ends work from within, at its next step."""


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work.

    ``result`` once done, ``problem`` in words once failed; times naive UTC. ``title``, ``done``, ``total`` tell how far
    long work is, and ``cancelling`` that it ends at its next step.
    """

    state: State
    started_at: datetime
    ended_at: datetime | None = None
    result: Any = None
    problem: str = ""
    title: str = ""
    done: int = 0
    total: int = 0
    cancelling: bool = False


class Background:
    """Threads of this process. Stop them before the warehouse closes: a query cut off would abort the interpreter."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._tasks: dict[str, Task] = {}
        self._threads: list[threading.Thread] = []

    def start(self, name: str, work: Callable[[], Any]) -> bool:
        """Start work under a name; False where work of that name is running."""
        return self.start_long(name, lambda _: work())

    def start_long(self, name: str, work: Callable[[Tell], Any]) -> bool:
        """Start work that says how far it is, and so can be cancelled; False where work of that name is running."""
        with self._guard:
            known = self._tasks.get(name)
            if known is not None and known.state == "running":
                return False
            self._tasks[name] = Task("running", _now())
            thread = threading.Thread(target=self._run, args=(name, work), name=f"ragsieve-{name}", daemon=True)
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
            thread.start()
        return True

    def task(self, name: str) -> Task | None:
        """The work of a name, None before the first start."""
        with self._guard:
            return self._tasks.get(name)

    def cancel(self, name: str) -> bool:
        """Let long work end at its next step; False where none of that name is running."""
        with self._guard:
            known = self._tasks.get(name)
            if known is None or known.state != "running":
                return False
            self._tasks[name] = replace(known, cancelling=True)
        return True

    def forget(self, name: str) -> None:
        """Drop the outcome of a name; work that is running stays."""
        with self._guard:
            known = self._tasks.get(name)
            if known is not None and known.state != "running":
                del self._tasks[name]

    def stop(self) -> None:
        """Wait for what runs; long work ends at its next step."""
        with self._guard:
            running = list(self._threads)
            for name, task in self._tasks.items():
                if task.state == "running":
                    self._tasks[name] = replace(task, cancelling=True)
        for thread in running:
            thread.join()

    def _run(self, name: str, work: Callable[[Tell], Any]) -> None:
        def tell(title: str, done: int, total: int) -> None:
            with self._guard:
                self._tasks[name] = known = replace(self._tasks[name], title=title, done=done, total=total)
            if known.cancelling:
                raise CancelledWorkError

        changes: dict[str, Any]
        try:
            changes = {"state": "done", "result": work(tell)}
        except CancelledWorkError:
            changes = {"state": "cancelled"}
        except RagsieveError as error:
            changes = {"state": "failed", "problem": error.render()}
        except Exception:  # noqa: BLE001
            # The boundary of this thread: the trace goes to the dashboard's terminal, a sentence to who asked.
            _log.exception("%s failed", name)
            changes = {"state": "failed", "problem": "it failed; the terminal of `ragsieve serve` has the details"}
        with self._guard:
            self._tasks[name] = replace(self._tasks[name], **changes, ended_at=_now())


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
