"""A gate behind a real HTTP server in this process, with tokens as an owner publishes them."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from app.gate.routes import application
from app.gate.service import GateService, ServiceLimits
from app.services.gate_log import GateLog
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.gate import Gate, GateConfig, GateCorpus
from ragsieve_core.publication import PublicationReader
from ragsieve_core.rsq import rsq_preset
from tests.gate_stand_ins import BagRetriever, StandInFeatures, clean_texts, small_corpus
from tests.warehouses import copy_warehouse
from warehouse.database import Warehouse
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.tokens import issue_token

ADMIN = Principal("ada", "admin")


class Client:
    """Sends one request on a connection of its own."""

    def __init__(self, port: int) -> None:
        self.port = port

    def send(
        self, method: str, path: str, body: bytes | dict[str, Any] | None = None, token: str = "", **headers: str
    ) -> tuple[int, Any, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        if method == "POST":
            given.setdefault("Content-Type", "application/json")
        if token:
            given["Authorization"] = f"Bearer {token}"
        try:
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            data = answer.read()
            found = {name.lower(): value for name, value in answer.getheaders()}
        finally:
            connection.close()
        return answer.status, json.loads(data) if "json" in found.get("content-type", "") else data.decode(), found

    def post(self, path: str, body: Any, token: str = "", **headers: str) -> tuple[int, Any]:
        return self.send("POST", path, body, token, **headers)[:2]


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A warehouse with 60 documents of two tenants and four tokens, and their secrets by name."""
    path = tmp_path_factory.mktemp("prepared") / "w.duckdb"
    made = {name: ("gate", tenant) for name, tenant in (("all", None), ("a", "a"), ("b", "b"))}
    made["ingest"] = ("ingest", None)
    with Warehouse.open(path, command="test") as wh:
        names = [f"d{i:02d}" for i in range(60)]
        batch = RecordBatchColumns(id=names, text=clean_texts(60), tenant=["a", "b"] * 30)
        ingest(wh, "harbour", [batch], principal=ADMIN)
        return path, {
            name: issue_token(wh, principal=ADMIN, name=name, scope=scope, tenant=tenant).secret
            for name, (scope, tenant) in made.items()
        }


@pytest.fixture
def wh(tmp_path: Path, prepared: tuple[Path, dict[str, str]]) -> Iterator[Warehouse]:
    with Warehouse.open(copy_warehouse(prepared[0], tmp_path / "w.duckdb"), command="test") as opened:
        yield opened


@pytest.fixture
def corpus() -> GateCorpus:
    return small_corpus(clean_texts(60), ["a", "b"] * 30)


@pytest.fixture
def tokens(prepared: tuple[Path, dict[str, str]]) -> dict[str, str]:
    """Secrets by name: all (every tenant), a, b, and one that may only ingest."""
    return prepared[1]


@pytest.fixture
def serve(wh: Warehouse, corpus: GateCorpus, tokens: dict[str, str]) -> Iterator[Callable[..., Client]]:
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(limits: ServiceLimits | None = None, **settings: Any) -> Client:
        publication = PublicationReader(wh.side.folder("published"))
        log = settings.pop("log_to", None) or GateLog(wh.path, interval_s=0.05)
        gate = Gate(
            settings.pop("corpus", corpus),
            publication,
            settings.pop("features", StandInFeatures()),
            GateConfig(**settings),
            rsq_preset("paper"),
            retriever=BagRetriever(),
            sink=log,
        )
        service = GateService(gate, log, publication, limits or ServiceLimits(rate=0))
        config = uvicorn.Config(application(service, log.close), port=0, log_level="error", lifespan="on")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        deadline = time.monotonic() + 10
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        running.append((server, thread))
        client = Client(server.servers[0].sockets[0].getsockname()[1])
        client.service, client.stop = service, lambda: _stop(server, thread)  # type: ignore[attr-defined]
        return client

    yield start
    for server, thread in running:
        _stop(server, thread)


def _stop(server: uvicorn.Server, thread: threading.Thread) -> None:
    server.should_exit = True
    thread.join(timeout=10)
