"""Memory tier: the most recently used features, within a byte limit, for any number of threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ragsieve_core.errors import InputError

DEFAULT_MEMORY = 512 * 1024**2


class MemoryTier:
    """Least recently used entries leave first; one larger than the limit is never kept.

    Parameters
    ----------
    limit : bytes, as the kinds count them; 0 keeps nothing.
    """

    def __init__(self, limit: int = DEFAULT_MEMORY) -> None:
        if limit < 0:
            raise InputError(f"{limit} bytes", where="memory limit", expected="0 or more")
        self.limit = limit
        self._lock = threading.Lock()
        self._held: OrderedDict[tuple[str, str], tuple[Any, int]] = OrderedDict()
        self._bytes = 0

    @property
    def bytes(self) -> int:
        """Bytes held now, never more than the limit."""
        with self._lock:
            return self._bytes

    def __len__(self) -> int:
        with self._lock:
            return len(self._held)

    def __contains__(self, key: tuple[str, str]) -> bool:
        with self._lock:
            return key in self._held

    def get(self, key: tuple[str, str]) -> Any | None:
        """The value, or None."""
        with self._lock:
            found = self._held.get(key)
            if found is None:
                return None
            self._held.move_to_end(key)
            return found[0]

    def put(self, key: tuple[str, str], value: Any, size: int) -> None:
        """Keep a value; what was used longest ago makes room."""
        with self._lock:
            self._drop(key)
            if size > self.limit:
                return
            self._held[key] = (value, size)
            self._bytes += size
            while self._bytes > self.limit:
                self._drop(next(iter(self._held)))

    def drop(self, wanted: Callable[[str], bool]) -> int:
        """Remove entries whose name ``wanted`` holds for; returns how many."""
        with self._lock:
            gone = [key for key in self._held if wanted(key[1])]
            for key in gone:
                self._drop(key)
            return len(gone)

    def _drop(self, key: tuple[str, str]) -> None:
        found = self._held.pop(key, None)
        if found is not None:
            self._bytes -= found[1]
