"""Block tasks on all processors: one thread each, arithmetic libraries held to one thread inside."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def worker_count() -> int:
    """Processors this process may use; ``OMP_NUM_THREADS`` lowers it."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(available, int(wanted))) if wanted.isdigit() else available


def run_tasks(task: Callable[[Item], Result], items: Iterable[Item], *, torch_tasks: bool = False) -> Iterator[Result]:
    """Results of ``task`` over ``items``, in their order, computed ahead by at most two per worker.

    Parameters
    ----------
    task : pure function; numpy and torch release the interpreter lock in it.
    items : its arguments.
    torch_tasks : hold torch to one thread per worker meanwhile; its setting is restored.
    """
    workers = worker_count()
    before = 0
    if torch_tasks:
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(1)
    try:
        if workers == 1:
            yield from map(task, items)
            return
        setup = _single_torch_thread if torch_tasks else None
        with ThreadPoolExecutor(workers, thread_name_prefix="rsg", initializer=setup) as pool:
            waiting: deque[Future[Result]] = deque()
            try:
                for item in items:
                    waiting.append(pool.submit(task, item))
                    if len(waiting) >= 2 * workers:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()
    finally:
        if torch_tasks:
            torch.set_num_threads(before)


def together(*work: Callable[[], Result]) -> list[Result]:
    """Results of functions that do not depend on one another, in their order: each is work for one processor."""
    return list(run_tasks(lambda one: one(), work))


def _single_torch_thread() -> None:
    import torch

    torch.set_num_threads(1)
