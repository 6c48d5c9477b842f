"""Counts of a gate, by tenant, so that one tenant's numbers say nothing of another's."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from ragsieve_core.gate.answer import GateAnswer

LATENCY_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the latency classes, seconds."""


@dataclass(slots=True)
class Counts:
    """What one tenant's calls came to; ``latency`` counts calls at or under each bound of :data:`LATENCY_S`."""

    states: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    unscored: int = 0
    errors: int = 0
    latency: list[int] = field(default_factory=lambda: [0] * len(LATENCY_S))
    latency_sum: float = 0.0
    calls: int = 0

    def copy(self) -> Counts:
        """An independent copy."""
        return Counts(
            dict(self.states),
            dict(self.removed),
            dict(self.reasons),
            self.unscored,
            self.errors,
            list(self.latency),
            self.latency_sum,
            self.calls,
        )


class GateCounters:
    """Thread-safe counts by tenant; the empty name stands for callers of all tenants."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._by_tenant: dict[str, Counts] = {}

    def add(self, tenant: str, answer: GateAnswer, unscored: int, errors: int) -> None:
        """Count one call."""
        seconds = answer.latency_ms / 1000
        removals = answer.would.removed if answer.would is not None else answer.removed
        with self._guard:
            counts = self._by_tenant.setdefault(tenant, Counts())
            counts.calls += 1
            _add(counts.states, answer.state.value)
            if answer.reason:
                _add(counts.reasons, answer.reason)
            for removal in removals:
                _add(counts.removed, removal.by)
            counts.unscored += unscored
            counts.errors += errors
            counts.latency_sum += seconds
            for place, bound in enumerate(LATENCY_S):
                counts.latency[place] += seconds <= bound

    def add_error(self, tenant: str) -> None:
        """Count a call that could not be answered."""
        with self._guard:
            counts = self._by_tenant.setdefault(tenant, Counts())
            counts.errors += 1
            _add(counts.reasons, "error")

    def read(self, tenant: str | None = None) -> Mapping[str, Counts]:
        """Counts by tenant; of one tenant alone where it is named."""
        with self._guard:
            if tenant is not None:
                return {tenant: self._by_tenant.get(tenant, Counts()).copy()}
            return {name: counts.copy() for name, counts in sorted(self._by_tenant.items())}


def _add(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
