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
State = Literal["running", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work; ``result`` once done, ``problem`` in words once failed; times naive UTC."""

    state: State
    started_at: datetime
    ended_at: datetime | None = None
    result: Any = None
    problem: str = ""


class Background:
    """Threads of this process. Stop them before the warehouse closes: a query cut off would abort the interpreter."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._tasks: dict[str, Task] = {}
        self._threads: list[threading.Thread] = []

    def start(self, name: str, work: Callable[[], Any]) -> bool:
        """Start work under a name; False where work of that name is running."""
        with self._guard:
            known = self._tasks.get(name)
            if known is not None and known.state == "running":
                return False
            begun = self._tasks[name] = Task("running", _now())
            thread = threading.Thread(target=self._run, args=(name, begun, work), name=f"ragsieve-{name}", daemon=True)
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
            thread.start()
        return True

    def task(self, name: str) -> Task | None:
        """The work of a name, None before the first start."""
        with self._guard:
            return self._tasks.get(name)

    def stop(self) -> None:
        """Wait for what runs."""
        with self._guard:
            running = list(self._threads)
        for thread in running:
            thread.join()

    def _run(self, name: str, begun: Task, work: Callable[[], Any]) -> None:
        try:
            ended = replace(begun, state="done", result=work())
        except RagsieveError as error:
            ended = replace(begun, state="failed", problem=error.render())
        except Exception:  # noqa: BLE001
            # The boundary of this thread: the trace goes to the dashboard's terminal, a sentence to who asked.
            _log.exception("%s failed", name)
            ended = replace(
                begun, state="failed", problem="it failed; the terminal of `ragsieve serve` has the details"
            )
        with self._guard:
            self._tasks[name] = replace(ended, ended_at=_now())


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
