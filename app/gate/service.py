"""What the HTTP service needs at hand: the gate, its log, its limits, and how it stands."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.gate.auth import ANYONE, Denied, Who, authenticate
from app.gate.limits import RateLimit
from app.gate.metrics import exposition
from app.services.gate_log import GateLog
from ragsieve_core.errors import InputError
from ragsieve_core.gate import Gate
from ragsieve_core.publication import PublicationReader

USE = ("gate",)
READ = ("gate", "read")


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Limits of the HTTP side.

    Attributes
    ----------
    body : bytes of a request, >= 1024.
    rate : calls a second for each token; 0 = no limit.
    burst : calls at once for each token.
    at_once : calls worked on at the same time, >= 1.
    waiting : calls that may wait for a place, >= 0; further ones are turned away.
    """

    body: int = 8 << 20
    rate: float = 100.0
    burst: float = 200.0
    at_once: int = 8
    waiting: int = 64

    def __post_init__(self) -> None:
        for name, value, least in (
            ("body", self.body, 1024),
            ("rate", self.rate, 0),
            ("burst", self.burst, 0),
            ("at_once", self.at_once, 1),
            ("waiting", self.waiting, 0),
        ):
            if value < least:
                raise InputError(f"{value} is out of range", where=f"limit {name}", expected=f"at least {least}")


@dataclass(slots=True)
class GateService:
    """The gate with what surrounds it.

    Attributes
    ----------
    tokens : False lets everyone in, for a loopback address alone.
    renewal_problem : why the snapshot could not be renewed; empty while it could.
    """

    gate: Gate
    log: GateLog
    publication: PublicationReader
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    tokens: bool = True
    renewal_problem: Callable[[], str] = str
    rate: RateLimit = field(init=False)
    _statuses: dict[tuple[str, int], int] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.rate = RateLimit(self.limits.rate, self.limits.burst)

    def who(self, authorization: str, scopes: tuple[str, ...]) -> Who | Denied:
        """The caller of a request."""
        if not self.tokens:
            return ANYONE
        return authenticate(self.publication.read().in_force.credentials, authorization, scopes)

    def count(self, tenant: str | None, status: int) -> None:
        """Count an HTTP answer; those before a caller is known are counted under no tenant."""
        key = (tenant or "", status)
        with self._guard:
            self._statuses[key] = self._statuses.get(key, 0) + 1

    def health(self) -> tuple[bool, dict[str, Any]]:
        """Whether all is well, and what is not. Nothing in it concerns one tenant alone."""
        problems = []
        log, reading = self.log.health, self.publication.read()
        if log.lost:
            problems.append("events_lost")
        if log.problem:
            problems.append("events_not_written")
        if not reading.serve or reading.state in ("missing", "damaged", "lower_number"):
            problems.append(f"publication_{reading.state}")
        elif reading.state == "stale":
            problems.append("publication_stale")
        if self.renewal_problem():
            problems.append("snapshot_not_renewed")
        return not problems, {"status": "red" if problems else "ok", "problems": problems}

    def metrics(self, who: Who) -> str:
        """Prometheus text: everything for callers of all tenants, a tenant's own counts for its token."""
        with self._guard:
            statuses = dict(self._statuses)
        if who.tenant is not None:
            own = {key: n for key, n in statuses.items() if key[0] == who.tenant}
            return exposition(self.gate.counters.read(who.tenant), {}, own)
        return exposition(self.gate.counters.read(), self._gauges(), statuses)

    def _gauges(self) -> Mapping[str, float]:
        log, reading = self.log.health, self.publication.read()
        return {
            "healthy": int(self.health()[0]),
            "snapshot_documents": len(self.gate.corpus),
            "publication_number": reading.in_force.number,
            "publication_age_seconds": round(reading.age_s or 0.0, 3),
            "log_waiting": log.waiting,
            "log_written": log.written,
            "log_lost": log.lost,
        }
