"""Loading something heavy once, on first use."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Once(Generic[Value]):
    """Runs a loader the first time it is asked, in whichever thread comes first; the others wait."""

    def __init__(self, loader: Callable[[], Value]) -> None:
        self._loader = loader
        self._lock = threading.Lock()
        self._value: list[Value] = []

    def __call__(self) -> Value:
        """The loaded value; a loader that failed is tried again at the next call."""
        if not self._value:
            with self._lock:
                if not self._value:
                    self._value.append(self._loader())
        return self._value[0]
