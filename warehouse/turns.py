"""The write lock of an owner: one writer at a time, people before programs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TurnLock:
    """A lock whose urgent callers go before all others; among equals the order is not promised."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._held = False
        self._urgent_waiting = 0

    @contextmanager
    def turn(self, *, urgent: bool = False) -> Iterator[None]:
        """Hold the lock for the block. Bulk writes can starve only while people write without a pause."""
        with self._changed:
            self._urgent_waiting += urgent
            try:
                self._changed.wait_for(lambda: not self._held and (urgent or not self._urgent_waiting))
            finally:
                self._urgent_waiting -= urgent
            self._held = True
        try:
            yield
        finally:
            with self._changed:
                self._held = False
                self._changed.notify_all()
