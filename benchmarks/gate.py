"""The gate against the bare product X·q, and under eight HTTP clients: ``python -m benchmarks.gate [--seconds 60]``.

Budgets: with warm features p95 of a call (retrieve 100 of N, drop what is quarantined, RSQ, refill) at most the bare
float32 product of the same run and 40 ms; over HTTP no error and no lost event.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.rsg_scan import encoder_like, texts_like
from ragsieve_core.document import content_hash
from ragsieve_core.gate import CachedFeatures, Gate, GateConfig, GateCorpus
from ragsieve_core.models.feature_cache import Features
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.publication import PublicationReader
from ragsieve_core.rsq import RSQ_PRESETS, rsq_preset

CORPUS = "bench"
_TOKENS, _WIDTH, _KINDS = 200, 384, 64


class GeneratedModels:
    """Stands in for both models: features of the size real ones have, drawn once and dealt out by the text."""

    key = "bench"

    def __init__(self) -> None:
        generator = np.random.default_rng(0)
        self._spans = np.stack([np.arange(_TOKENS) * 5, np.arange(_TOKENS) * 5 + 4], axis=1).astype(np.int32)
        vectors = generator.standard_normal((_KINDS, _TOKENS, _WIDTH)).astype(np.float32)
        self._vectors = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
        self._nll = generator.gamma(2.0, 1.2, (_KINDS, _TOKENS - 1)).astype(np.float32)

    def surprisal(self, texts: Sequence[str], *, progress: object = None) -> list[TokenSurprisal]:
        """One of the kinds for each text."""
        return [TokenSurprisal(self._nll[_kind(text)], self._spans[1:]) for text in texts]

    def token_vectors(self, texts: Sequence[str], *, max_tokens: int, progress: object = None) -> list[TokenVectors]:
        """One of the kinds for each text; of a query its first 16."""
        tokens = _TOKENS if max_tokens > 64 else 16
        return [TokenVectors(self._vectors[_kind(text)][:tokens], self._spans[:tokens]) for text in texts]


def _kind(text: str) -> int:
    return (len(text) + ord(text[1])) % _KINDS


def cached() -> CachedFeatures:
    """The product's cache, in memory, over generated features."""
    models = GeneratedModels()
    return CachedFeatures(Features(models, models, memory=2 << 30))


class KnownQueries:
    """Gives the vector of a query's number: encoding a query is no part of the budget."""

    key = "bench"

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self._vectors, self.dimension = vectors, vectors.shape[1]

    def encode(self, texts: Sequence[str], *, kind: str, progress: object = None) -> NDArray[np.float32]:
        """Rows by the number at the end of each text."""
        return np.stack([self._vectors[int(text.rsplit(" ", 1)[1]) % len(self._vectors)] for text in texts])


def make_corpus(count: int, dimension: int) -> tuple[GateCorpus, NDArray[np.float32]]:
    """Documents with vectors as an encoder would place them; every hundredth has an access list."""
    vectors, texts = encoder_like(count, dimension), texts_like(count)
    ids = [f"d{number:07d}" for number in range(count)]
    hashes = [content_hash(text) for text in texts[: min(count, 1000)]] + ["0" * 64] * max(0, count - 1000)
    acls: list[list[str]] = [["staff"] if number % 100 == 0 else [] for number in range(count)]
    made = GateCorpus(
        CORPUS, "snap", ids, texts, hashes, ["default"] * count, acls=acls, vectors=vectors, encoder="bench"
    )
    return made, vectors


def publish(folder: Path, quarantined: Sequence[str]) -> None:
    """A publication as an owner writes it."""
    import hashlib
    from datetime import UTC, datetime

    from ragsieve_core.publication import encode_publication

    now = datetime.now(UTC).isoformat()
    data = encode_publication(
        {
            "format": 1,
            "number": 1,
            "quarantine_version": "quar_bench",
            "quarantined": [[CORPUS, name] for name in quarantined],
            "held": [],
            "unadmitted": [],
            "published_at": now,
        }
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "1.json").write_bytes(data)
    pointer = {"number": 1, "file": "1.json", "sha256": hashlib.sha256(data).hexdigest(), "confirmed_at": now}
    (folder / "current").write_text(json.dumps(pointer))


def in_process(count: int, dimension: int, calls: int, rule: str) -> bool:
    """Bare product and gate in turn, one query after another; True where the bound holds."""
    corpus, vectors = make_corpus(count, dimension)
    generator = np.random.default_rng(1)
    asked = vectors[generator.integers(count, size=calls)] + generator.standard_normal((calls, dimension)) * 0.02
    asked = (asked / np.linalg.norm(asked, axis=1, keepdims=True)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        publish(Path(folder), [f"d{number:07d}" for number in generator.integers(count, size=count // 100)])
        gate = Gate(
            corpus,
            PublicationReader(folder),
            cached(),
            GateConfig(),
            rsq_preset(rule),
            retriever=KnownQueries(asked),
        )
        gate.prepare()
        for number in range(calls):
            # Every ranking once before: the budget is that of documents that were seen
            gate.retrieve(f"what stands in document {number}", ["staff"])
        bare, gated, work = [], [], []
        for number in range(calls):
            clock, own = time.perf_counter(), time.process_time()
            vectors @ asked[number]
            bare.append(time.perf_counter() - clock)
            bare_work = time.process_time() - own
            clock, own = time.perf_counter(), time.process_time()
            answer = gate.retrieve(f"what stands in document {number}", ["staff"])
            gated.append(time.perf_counter() - clock)
            work.append(time.process_time() - own - bare_work)
            if answer.documents < gate.config.depth or len(answer.context) != gate.rsq.k:
                raise SystemExit(f"a call came out with {answer.documents} documents: {answer.state}")
    b50, b95, g50, g95 = (float(v) * 1000 for v in (*np.percentile(bare, [50, 95]), *np.percentile(gated, [50, 95])))
    good = g95 <= b50 + 40
    print(f"N = {count:,}, d = {dimension}, rule {rule}, {calls} calls, load {os.getloadavg()[0]:.1f}")
    print(f"bare X·q: median {b50:.1f} ms, p95 {b95:.1f} ms")
    print(f"gate:     median {g50:.1f} ms, p95 {g95:.1f} ms: {g95 - b50:+.1f} ms against +40 ms allowed")
    print(f"processor time beyond the bare product: median {np.median(work) * 1000:.1f} ms", flush=True)
    return good


def serve(warehouse: Path, count: int, dimension: int, rule: str) -> None:
    """The server of :func:`over_http`, in a process of its own; prints its port when it listens."""
    import uvicorn

    from app.gate.routes import application
    from app.gate.service import GateService, ServiceLimits
    from app.services.gate_log import GateLog
    from warehouse.side import Side

    corpus, vectors = make_corpus(count, dimension)
    publication = PublicationReader(Side(warehouse).folder("published"))
    log = GateLog(warehouse)
    gate = Gate(
        corpus,
        publication,
        cached(),
        GateConfig(),
        rsq_preset(rule),
        retriever=KnownQueries(vectors),
        sink=log,
    )
    gate.prepare()
    service = GateService(gate, log, publication, ServiceLimits(rate=0), tokens=False)

    class Server(uvicorn.Server):
        async def startup(self, sockets: object = None) -> None:
            """Listen, then print the port."""
            await super().startup(sockets=None)
            print(self.servers[0].sockets[0].getsockname()[1], flush=True)

    Server(uvicorn.Config(application(service, log.close), port=0, log_level="error")).run()


def over_http(seconds: float, clients: int, count: int, dimension: int, rule: str) -> bool:
    """So many clients for so long; True where every call was answered and every event arrived."""
    from warehouse.database import Warehouse
    from warehouse.inbox import take_in

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.duckdb"
        with Warehouse.open(path, command="bench"):
            pass
        publish(path.with_name(path.name + ".d") / "published", [f"d{number:07d}" for number in range(0, count, 50)])
        command = [sys.executable, "-m", "benchmarks.gate", "--serve", str(path), "--http-documents", str(count)]
        server = subprocess.Popen(
            [*command, "--dimension", str(dimension), "--rule", rule], stdout=subprocess.PIPE, text=True, env=os.environ
        )
        assert server.stdout is not None
        port = int(server.stdout.readline())
        times: list[list[float]] = [[] for _ in range(clients)]
        failures: list[str] = []
        end = time.monotonic() + seconds
        threads = [
            threading.Thread(target=_client, args=(port, place, end, times[place], failures))
            for place in range(clients)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)
        calls = sum(len(own) for own in times)
        with Warehouse.open(path, command="bench") as wh:
            refused = [receipt.message for receipt in take_in(wh) if receipt.state != "taken"]
            with wh.reading() as cursor:
                row = cursor.execute("SELECT count(*), count(DISTINCT event_id) FROM retrieval_events").fetchone()
        stored = row[1] if row is not None and row[0] == row[1] else -1
    merged = np.array([value for own in times for value in own]) * 1000
    p50, p95, p99 = np.percentile(merged, [50, 95, 99])
    print(
        f"{clients} clients, {seconds:.0f} s, N = {count:,}: {calls:,} calls, {calls / seconds:.0f}/s, "
        f"median {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms"
    )
    print(f"errors {len(failures)}, events stored {stored:,}, lost {calls - stored:,}, segments refused {len(refused)}")
    for line in [*failures[:3], *refused[:3]]:
        print(" ", line)
    return not failures and not refused and stored == calls


def _client(port: int, place: int, end: float, times: list[float], failures: list[str]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    documents = [{"id": f"own-{place}-{rank}", "text": f"own text {rank} of client {place}"} for rank in range(40)]
    number = 0
    while time.monotonic() < end:
        number += 1
        query = f"client {place} asks for document {place * 100_000 + number}"
        path, body = ("/v1/retrieve", {"query": query, "texts": False})
        if number % 4 == 0:
            path, body = "/v1/filter", {"query": query, "documents": documents}
        clock = time.perf_counter()
        try:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            data = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            failures.append(f"{type(error).__name__}: {error}")
            return
        times.append(time.perf_counter() - clock)
        if answer.status != 200 or data["state"] not in ("ok", "tail_contaminated") or len(data["context"]) != 5:
            failures.append(f"status {answer.status}: {str(data)[:200]}")
    connection.close()


def main(arguments: list[str] | None = None) -> int:
    """Run and print; 1 where a bound was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=128_544)
    parser.add_argument("--dimension", type=int, default=1024)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--rule", default="calibrated", choices=sorted(RSQ_PRESETS))
    parser.add_argument("--seconds", type=float, default=60.0, help="of the HTTP part; 0 leaves it out")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--http-documents", type=int, default=20_000)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args([] if arguments is None else arguments)
    if options.serve is not None:
        serve(options.serve, options.http_documents, options.dimension, options.rule)
        return 0
    good = True
    for rule in (options.rule, *(["paper"] if options.rule != "paper" else [])) if options.calls else ():
        good = in_process(options.documents, options.dimension, options.calls, rule) and good
    if options.seconds > 0:
        good = (
            over_http(
                options.seconds, options.clients, options.http_documents, min(options.dimension, 384), options.rule
            )
            and good
        )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
