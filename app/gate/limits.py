"""How much one caller may ask: a bucket of tokens per caller."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

_CALLERS = 10_000


class RateLimit:
    """``rate`` calls a second for each caller, ``burst`` at once. Thread-safe; 0 = no limit."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, max(1.0, burst), clock
        self._guard = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, caller: str) -> int:
        """0 if the call may go on, else the whole seconds after which to try again."""
        if self._rate <= 0:
            return 0
        now = self._clock()
        with self._guard:
            left, since = self._buckets.pop(caller, (self._burst, now))
            left = min(self._burst, left + (now - since) * self._rate)
            allowed = left >= 1
            self._buckets[caller] = (left - 1 if allowed else left, now)
            if len(self._buckets) > _CALLERS:
                self._buckets.popitem(last=False)
        return 0 if allowed else max(1, math.ceil((1 - left) / self._rate))
