"""Texts side by side on the cores of one machine, each in a thread that uses one core.

A product of matrices that is shared out among threads adds up in another order than in one thread, and small ones
leave the second core idle half of the time. So every text is computed by one thread, and several texts at once: the
numbers depend neither on the other texts nor on how many threads there are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_guard = threading.Lock()
_pools: dict[int, ThreadPoolExecutor] = {}


def run_side_by_side(compute: Callable[[Item], Result], items: Sequence[Item]) -> list[Future[Result]]:
    """A future for each item, in order; items are begun in order.

    As many run at once as torch would use threads for one product (``OMP_NUM_THREADS``, or one for each core).
    """
    pool = _pool()
    return [pool.submit(compute, item) for item in items]


def _pool() -> ThreadPoolExecutor:
    import torch

    with _guard:
        threads = torch.get_num_threads()
        found = _pools.get(threads)
        if found is None:
            found = _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="ragsieve-model")
            _one_core_each(found, threads)
        return found


def _one_core_each(pool: ThreadPoolExecutor, threads: int) -> None:
    import torch

    together = threading.Barrier(threads)

    def settle() -> None:
        # Each thread of the pool once: nobody leaves before all have come
        torch.set_num_threads(1)
        # A thread takes the process's number when it is first asked for it: now, before that is put back
        torch.get_num_threads()
        together.wait()

    for future in [pool.submit(settle) for _ in range(threads)]:
        future.result()
    # The call sets the number of its own thread and of those that are to come: theirs is put back
    torch.set_num_threads(threads)
