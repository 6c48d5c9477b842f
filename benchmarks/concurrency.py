"""Everybody at once for a minute: dashboard, reviewer, two scanners, a gate; prints a table.

``python -m benchmarks.concurrency [--seconds 60]``. The owner is a process that draws queue, alert and overview twice a
second like a dashboard, takes the inbox in and lets a reviewer decide ten times a second; scanners hand over documents
and scan what they get back; a gate reads what is in force on every request and logs events. Or it exits 1: no
error, every acknowledged row there once, decision p95 < 50 ms.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ragsieve_core import __version__
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.publication import PublicationReader
from ragsieve_core.rsg import Retention, rsg_preset, score_corpus
from warehouse.alerts import QueueFilter, alert_detail, queue_page
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.delivery import be_considerate, deliver, fetch_snapshot
from warehouse.inbox import InboxWorker, take_in
from warehouse.overview import overview
from warehouse.principal import Principal
from warehouse.quarantine import propose, publish_version
from warehouse.records import CandidateRecord, EncoderSpec, EventRecord, NeighborColumns, RankedRecord, ScanRecord
from warehouse.segment_kinds import documents_segment, events_segment, scan_segment
from warehouse.side import Side

ME = Principal("reviewer", "admin", mode="single_user_mode")
BUDGET_MS = 50.0
_ENCODER = EncoderSpec("bench-64", "bench", 64)
_PER_SEGMENT, _PER_CORPUS = 300, 3000


class Timings:
    """Milliseconds by operation, errors in words, and what was acknowledged."""

    def __init__(self) -> None:
        self.ms: dict[str, list[float]] = {}
        self.errors: list[str] = []
        self.acknowledged: list[str] = []

    def run(self, name: str, work: Callable[[], Any]) -> Any:
        """Call and time."""
        clock = time.perf_counter()
        result = work()
        self.ms.setdefault(name, []).append(1000 * (time.perf_counter() - clock))
        return result

    def dump(self) -> str:
        """As one JSON line."""
        return json.dumps({"ms": self.ms, "errors": self.errors, "acknowledged": self.acknowledged})


def dashboard(path: Path, seconds: float) -> Timings:
    """Own the file: draw pages, let a reviewer decide, take the inbox in."""
    timings, stop = Timings(), threading.Event()

    def often(work: Callable[[], object], pause_s: float) -> threading.Thread:
        def loop() -> None:
            while not stop.is_set():
                try:
                    work()
                except Exception as error:  # noqa: BLE001  every error is a finding of this benchmark
                    timings.errors.append(f"dashboard: {type(error).__name__}: {error}")
                stop.wait(pause_s)

        thread = threading.Thread(target=loop)
        thread.start()
        return thread

    with Warehouse.open(path, command="benchmark dashboard") as wh:
        turn = [0]

        def look() -> None:
            page = timings.run("queue page", lambda: queue_page(wh, principal=ME))
            if page.rows:
                timings.run("alert page", lambda: alert_detail(wh, page.rows[0]["alert_id"], principal=ME))
            timings.run("overview", lambda: overview(wh, principal=ME))

        def review() -> None:
            open_ones = QueueFilter(statuses=["open"])
            for row in queue_page(wh, principal=ME, filters=open_ones, sort="opened_at", limit=1).rows:
                made = timings.run(
                    "decision",
                    lambda row=row: decide(
                        wh, row["alert_id"], row["version"], principal=ME, verdict="keep", reason="benign"
                    ),
                )
                timings.acknowledged.append(f"decision {made.alert_id}")
                turn[0] += 1
                if turn[0] % 25 == 0:
                    version = propose(wh, principal=ME, add=[made.alert_id])
                    timings.run("quarantine publish", partial(publish_version, wh, version.quarantine_id, principal=ME))
                    timings.acknowledged.append(f"quarantine {version.quarantine_id}")

        worker = InboxWorker(wh, interval_s=0.02).start()
        print("ready", flush=True)
        threads = [often(look, 0.5), often(review, 0.1)]
        time.sleep(seconds)
        stop.set()
        for thread in threads:
            thread.join()
        worker.stop()
        if worker.problem:
            timings.errors.append(f"inbox: {worker.problem}")
    return timings


def scanner(path: Path, seconds: float, name: str) -> Timings:
    """Ingest and scan for real, through the inbox."""
    be_considerate()
    timings, generator = Timings(), np.random.default_rng(len(name) + ord(name[-1]))
    config, until, number = rsg_preset("paper"), time.monotonic() + seconds, 0
    while time.monotonic() < until:
        corpus = f"{name}-{number * _PER_SEGMENT // _PER_CORPUS}"
        ids = [f"{name}-{number}-{row}" for row in range(_PER_SEGMENT)]
        texts = [f"{one} " + " ".join(f"w{word}" for word in generator.integers(0, 4000, 60)) for one in ids]
        vectors = generator.standard_normal((_PER_SEGMENT, 64), dtype=np.float32)
        # Five planted near neighbours with different words: something for the detector to find.
        vectors[:5] = vectors[0] + 0.02 * vectors[:5]
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        data = documents_segment(corpus, [RecordBatchColumns(id=ids, text=texts)], embeddings=vectors, encoder=_ENCODER)
        receipt = timings.run("ingest 300 to receipt", lambda data=data: deliver(path, data, command=name, wait_s=60))
        timings.acknowledged.append(f"ingest {name}-{number}-")
        if receipt.state != "taken" or receipt.result["accepted"] != _PER_SEGMENT:
            timings.errors.append(f"{name}: {receipt}")
        held, _ = timings.run(
            "fetch snapshot",
            lambda corpus=corpus: fetch_snapshot(path, command=name, corpus=corpus, encoder=_ENCODER.key, wait_s=60),
        )
        if held is None or held.embeddings is None:
            timings.errors.append(f"{name}: no snapshot")
            continue
        started = datetime.now(UTC).replace(tzinfo=None)
        found = timings.run(
            "scan itself", lambda held=held: score_corpus(held.ids, held.texts, held.embeddings, config)
        )
        scan = ScanRecord(
            corpus, held.snapshot, "rsg", "paper", {}, config.key, config.threshold, __version__, started, 0.1,
            held.version_ids, found.score, found.flagged, _ENCODER.key, floor=found.density.floor,
            eligible_neighbors=found.density.eligible_neighbors, density=found.density.density,
            tail_probability=found.tail_probability, integrity=found.integrity, topology_score=found.topology_score,
            neighbors=NeighborColumns(
                found.neighbors.index, found.neighbors.cosine, found.jaccard,
                found.density.retention == Retention.RETAINED,
            ),
        )  # fmt: skip
        data = scan_segment(scan)
        receipt = timings.run("scan to receipt", lambda data=data: deliver(path, data, command=name, wait_s=60))
        if receipt.state != "taken":
            timings.errors.append(f"{name}: {receipt}")
        else:
            timings.acknowledged.append(f"scan {receipt.result['scan']} {len(held)}")
        number += 1
    return timings


def gate(path: Path, seconds: float, name: str) -> Timings:
    """Read what is in force on every request, log events ten at a time."""
    timings, reader = Timings(), PublicationReader(Side(path.resolve()).folder("published"), missing="open")
    until, number, numbers = time.monotonic() + seconds, 0, [0]
    while time.monotonic() < until:
        events = []
        for _ in range(10):
            reading = timings.run("gate reads what is in force", reader.read)
            if reading.state not in ("ok", "missing") or reading.in_force.number < numbers[-1]:
                timings.errors.append(f"gate: {reading.state} {reading.problem}")
            numbers.append(reading.in_force.number)
            number += 1
            ids = [f"{name}-{number}-{rank}" for rank in range(20)]
            ranking = [
                RankedRecord(one, rank, text=f"text of {one}", in_context=rank <= 5) for rank, one in enumerate(ids, 1)
            ]
            candidates = [
                CandidateRecord(one, rank, 1.2 if rank == 1 and number % 5 == 0 else 0.2, rank == 1 and number % 5 == 0)
                for rank, one in enumerate(ids[:5], 1)
            ]
            events.append(
                EventRecord(
                    "gated", f"q {name} {number}", ranking, candidates, source="gate", event_id=f"event_{name}_{number}"
                )
            )
        data = events_segment(events)
        receipt = timings.run(
            "log 10 events to receipt", lambda data=data: deliver(path, data, command=name, wait_s=60)
        )
        if receipt.state != "taken":
            timings.errors.append(f"gate: {receipt}")
        timings.acknowledged += [f"event {one}" for one in receipt.result.get("ids", ())]
        time.sleep(0.2)
    return timings


def missing_rows(path: Path, acknowledged: list[str]) -> list[str]:
    """Acknowledged rows that are not there exactly once, and broken rules."""
    with Warehouse.open(path, command="benchmark check", wait_s=10) as wh:
        take_in(wh)
        cursor, problems = wh.cursor(), broken_rules(wh)
        queries = {
            "ingest": ("SELECT count(*) FROM document_versions WHERE starts_with(document_id, ?)", _PER_SEGMENT),
            "decision": ("SELECT count(*) FROM alert_events WHERE kind = 'decided' AND alert_id = ?", 1),
            "quarantine": ("SELECT count(*) FROM quarantine_events WHERE kind = 'published' AND quarantine_id = ?", 1),
            "event": ("SELECT count(*) FROM event_ranking WHERE event_id = ?", 20),
            "scan": ("SELECT count(*) FROM scan_scores WHERE scan_id = ?", None),
        }
        for words in map(str.split, acknowledged):
            query, expected = queries[words[0]]
            found = int(cursor.execute(query, [words[1]]).fetchall()[0][0])
            if found != (expected if expected is not None else int(words[2])):
                problems.append(f"{' '.join(words)}: {found} rows")
    return problems


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options, _ = parser.parse_known_args()
    if options.part:
        role, name = options.part
        if role == "dashboard":
            print(dashboard(options.path, options.seconds).dump(), flush=True)
        else:
            print((scanner if role == "scanner" else gate)(options.path, options.seconds, name).dump(), flush=True)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "w.duckdb"

        def start(role: str, name: str, seconds: float) -> subprocess.Popen[str]:
            command = [sys.executable, "-m", "benchmarks.concurrency", "--part", role, name]
            command += ["--path", str(path), "--seconds", str(seconds)]
            return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

        # The owner stays until the last receipt is out, as a dashboard would.
        owner = start("dashboard", "owner", options.seconds + 8)
        assert owner.stdout is not None
        owner.stdout.readline()
        parts = [start("scanner", name, options.seconds) for name in ("s1", "s2")] + [
            start("gate", "g1", options.seconds)
        ]
        results = [json.loads(part.communicate()[0].splitlines()[-1]) for part in (*parts, owner)]
        acknowledged = [entry for result in results for entry in result["acknowledged"]]
        problems = [error for result in results for error in result["errors"]] + missing_rows(path, acknowledged)
    decision_p95 = _table(results)
    print(f"{len(acknowledged):,} acknowledgements checked, {len(problems)} problems")
    for problem in problems[:20]:
        print("PROBLEM", problem)
    return 0 if not problems and decision_p95 < BUDGET_MS else 1


def _table(results: list[dict[str, Any]]) -> float:
    merged: dict[str, list[float]] = {}
    for result in results:
        for name, values in result["ms"].items():
            merged.setdefault(name, []).extend(values)
    print(f"{'operation':<30}{'n':>8}{'p50 ms':>10}{'p95 ms':>10}{'max ms':>10}")
    for name, values in sorted(merged.items()):
        p50, p95, top = np.percentile(values, [50, 95, 100])
        print(f"{name:<30}{len(values):>8,}{p50:>10.1f}{p95:>10.1f}{top:>10.1f}")
    return float(np.percentile(merged.get("decision", [np.inf]), 95))


if __name__ == "__main__":
    raise SystemExit(main())
