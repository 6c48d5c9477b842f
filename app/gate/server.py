"""`ragsieve serve --gate`: the HTTP gate as a process of its own, beside whoever owns the warehouse."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from app.gate.routes import application
from app.gate.service import USE, GateService, ServiceLimits
from app.server import free_port, stoppable
from app.services.features import CacheOptions, open_features
from app.services.gate_corpus import Renewal, gate_access, latest_id, load_gate_corpus
from app.services.gate_features import TenantFeatures
from app.services.gate_log import GateLog, LogHealth
from app.services.waiting import Say
from ragsieve_core.errors import InputError
from ragsieve_core.gate import Gate, GateConfig, GateCorpus
from ragsieve_core.models.loading import load
from ragsieve_core.models.roles import Progress
from ragsieve_core.publication import MissingPolicy, PublicationReader
from ragsieve_core.rsq import RSQConfig
from warehouse.owner import resolve
from warehouse.side import Side

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

_log = logging.getLogger("ragsieve.gate")


@dataclass(frozen=True, slots=True)
class GateOptions:
    """Where and how the gate is served.

    Attributes
    ----------
    port : TCP port; 0 lets the system choose one.
    address : where to listen; not only loopback needs tokens. TLS is for a proxy in front.
    tokens : False asks for none, on a loopback address alone.
    snapshot : id of the one to stay on; None = the latest, renewed.
    refresh_s : seconds between looks for a later snapshot.
    missing, stale : what to do without a publication, and with one that its owner has not confirmed for ``max_age_s``.
    wait_s : seconds to wait for the owner of the warehouse to hand over the snapshot.
    filter_only : no retriever and no vectors: ``/v1/filter`` alone.
    cache : the disk tier of the feature cache.
    """

    port: int = 8502
    address: str = "127.0.0.1"
    tokens: bool = True
    snapshot: str | None = None
    refresh_s: float = 60.0
    missing: MissingPolicy = "refuse"
    stale: MissingPolicy = "open"
    max_age_s: float | None = None
    filter_only: bool = False
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    wait_s: float = 600.0
    cache: CacheOptions = field(default_factory=CacheOptions)


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def serve_gate(
    warehouse: Path,
    corpus: str,
    models: LoadedModels,
    config: GateConfig,
    rsq: RSQConfig,
    options: GateOptions,
    *,
    say: Say,
    on_ready: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> LogHealth:
    """Serve until Ctrl-C or SIGTERM; returns how the event log stands after the last flush.

    Raises
    ------
    InputError
        an address others can reach without tokens, a port that is not free, no such corpus, no token to use it with.
    BusyError
        the owner of the warehouse did not hand over the snapshot in time.
    """
    if not options.tokens and not is_loopback(options.address):
        raise InputError(
            f"without tokens anybody who reaches {options.address!r} could use the gate",
            where="--address",
            expected="127.0.0.1, ::1 or localhost, or tokens",
            do="leave --no-token out and make a token: ragsieve token create --name NAME --scope gate",
        )
    port = free_port(options.address, options.port)
    used = None if options.filter_only else models
    with gate_access(warehouse, say, options.wait_s) as access:
        loaded = load_gate_corpus(access, corpus, used, snapshot=options.snapshot, progress=progress)
    publication = PublicationReader(
        Side(resolve(warehouse)).folder("published"),
        missing=options.missing,
        stale=options.stale,
        max_age_s=options.max_age_s,
    )
    _require_a_token(publication, options)
    features = TenantFeatures(
        open_features(models, warehouse, options=options.cache, say=say),
        lambda: models.causal_lm,
        lambda: models.trace_encoder,
        rsq,
    )
    say("loading the models")
    _load(features, models, options)
    log = GateLog(warehouse)
    gate = Gate(
        loaded,
        publication,
        features,
        config,
        rsq,
        retriever=None if options.filter_only else models.retriever,
        sink=log,
    )

    # A retriever of its own: one tokenizer cannot serve two threads, and queries must not wait for an encoding
    spare = None if options.filter_only else load(models.profile)

    def load_again() -> GateCorpus:
        with gate_access(warehouse, _log.info) as access:
            fresh = load_gate_corpus(access, corpus, spare, snapshot=options.snapshot)
        gate.prepare(fresh)
        return fresh

    gate.prepare()
    encoder = loaded.encoder or None
    renewal = Renewal(gate, warehouse, load_again, lambda: latest_id(warehouse, corpus, encoder), options.refresh_s)
    service = GateService(gate, log, publication, options.limits, options.tokens, lambda: renewal.problem)
    health: list[LogHealth] = []

    def stop() -> None:
        if not health:
            renewal.close()
            features.close()
            health.append(log.close())

    host = f"[{options.address}]" if ":" in options.address else options.address
    try:
        with stoppable(), suppress(KeyboardInterrupt):
            _run(service, options.address, port, stop, lambda: on_ready(f"http://{host}:{port}") if on_ready else None)
    finally:
        stop()
    return health[0]


def _load(features: TenantFeatures, models: LoadedModels, options: GateOptions) -> None:
    """Load every model now: the first call would spend its budget on it, and a missing one is said at once.

    Raises
    ------
    ModelUnavailableError : not on this machine.
    """
    models.causal_lm.surprisal(["ready or not"])
    models.trace_encoder.token_vectors(["ready or not"], max_tokens=16)
    features(None).query("ready", 600.0)
    if not options.filter_only:
        models.retriever.encode(["ready"], kind="query")


def _require_a_token(publication: PublicationReader, options: GateOptions) -> None:
    if not options.tokens:
        return
    usable = [c for c in publication.read().in_force.credentials.values() if c.scope in USE]
    if not usable:
        raise InputError(
            "no token can use this gate yet",
            where="serve --gate",
            expected="a token of scope gate, or --no-token on a loopback address",
            do="ragsieve token create --name NAME --scope gate",
        )


def _run(service: GateService, address: str, port: int, stop: Callable[[], None], ready: Callable[[], None]) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: object = None) -> None:
            """Listen, then say so."""
            await super().startup(sockets=None)
            if self.started:
                ready()

    config = uvicorn.Config(
        application(service, stop),
        host=address,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
    )
    Server(config).run()
