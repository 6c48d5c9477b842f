"""The same text is computed once, however many threads ask for it at the same time."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable
from typing import Any


class Flight:
    """One computation under way: others wait for ``landed``; ``value`` is None where it failed."""

    __slots__ = ("landed", "value")

    def __init__(self) -> None:
        self.landed = threading.Event()
        self.value: Any | None = None


class SingleFlight:
    """Who computes what right now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flying: dict[Hashable, Flight] = {}

    def claim(self, keys: Iterable[Hashable]) -> tuple[list[Hashable], dict[Hashable, Flight]]:
        """Keys that the caller must compute (and land or fail), and the flights of the others.

        The caller lands its own before it waits for others: so two callers never wait for each other.
        """
        mine: list[Hashable] = []
        others: dict[Hashable, Flight] = {}
        with self._lock:
            for key in keys:
                flying = self._flying.get(key)
                if flying is None:
                    self._flying[key] = Flight()
                    mine.append(key)
                else:
                    others[key] = flying
        return mine, others

    def land(self, key: Hashable, value: Any) -> None:
        """Give a value to everyone who waits for it."""
        self._end(key, value)

    def fail(self, keys: Iterable[Hashable]) -> None:
        """Give up what was claimed and has not landed; whoever waits claims it anew."""
        for key in keys:
            self._end(key, None)

    def _end(self, key: Hashable, value: Any | None) -> None:
        with self._lock:
            flight = self._flying.pop(key, None)
        if flight is not None:
            flight.value = value
            flight.landed.set()
