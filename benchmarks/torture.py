"""Random ``kill -9`` of the owner and of writers while they ingest, scan, decide, publish, checkpoint and migrate.

``python -m benchmarks.torture [--kills 40] [--seed 0]``: exits 1 unless nothing acknowledged is lost, nothing is
doubled, no half scan is visible, the chain verifies, and the next command works without a manual step.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import warehouse.migrate as migrate
from ragsieve_core.errors import RagsieveError
from ragsieve_core.formats.records import RecordBatchColumns
from warehouse.alerts import QueueFilter, queue_page
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.delivery import deliver, fetch_snapshot
from warehouse.errors import RefusedError, SchemaError
from warehouse.ids import utc_now
from warehouse.inbox import InboxWorker, Receipt, take_in, waiting
from warehouse.principal import Principal
from warehouse.quarantine import propose, publish_version
from warehouse.records import CandidateRecord, EventRecord, RankedRecord, ScanRecord
from warehouse.segment_kinds import documents_segment, events_segment, scan_segment

ME = Principal("torture", "admin", mode="single_user_mode")
_PER_SEGMENT = 40


def note(log: Path, *words: object) -> None:
    """Write down that something was acknowledged; a line that is not whole counts as not acknowledged."""
    with open(log, "ab", buffering=0) as stream:
        stream.write((" ".join(map(str, words)) + "\n").encode())
        os.fsync(stream.fileno())


_SHIPPED = migrate.shipped


def grow(extra: int) -> None:
    """Let this process ship ``extra`` more migrations, each big enough to be killed in; 0 undoes it."""
    known = _SHIPPED()
    more = tuple(
        migrate.Migration(
            len(known) + number + 1,
            f"torture_{number}",
            f"CREATE TABLE torture_{number} AS SELECT i, sha256(i::VARCHAR) AS s FROM range(200000) t(i);",
        )
        for number in range(extra)
    )
    migrate.shipped = lambda: (*known, *more)


def owner(path: Path, log: Path, extra: int) -> None:
    """Take in, decide, publish and checkpoint until killed."""
    grow(extra)
    with Warehouse.open(path, command="torture owner", wait_s=20) as wh:
        worker = InboxWorker(wh, interval_s=0.005).start()
        turn = 0
        while True:
            turn += 1
            for row in queue_page(wh, principal=ME, filters=QueueFilter(statuses=["open"]), limit=3).rows:
                made = decide(
                    wh, row["alert_id"], row["version"], principal=ME, verdict="quarantine", reason="true_positive"
                )
                note(log, "decided", made.alert_id, made.version)
                if turn % 2:
                    try:
                        version = propose(wh, principal=ME, add=[made.alert_id])
                    except RefusedError:
                        # Both detectors flagged the document: it is in quarantine already.
                        continue
                    publish_version(wh, version.quarantine_id, principal=ME)
                    note(log, "published", version.quarantine_id)
            if turn % 7 == 0:
                wh.checkpoint()
            if worker.problem:
                note(log, "problem", worker.problem.replace("\n", " "))
            time.sleep(0.01)


def hand_over(path: Path, data: bytes) -> Receipt:
    """Deliver, again with the same bytes where a dead owner had migrated to a schema this process does not know."""
    while True:
        try:
            return deliver(path, data, command="torture writer", wait_s=60)
        except SchemaError:
            time.sleep(0.1)


def writer(path: Path, log: Path, name: str) -> None:
    """Hand over documents, scan what came of them, log events, until killed."""
    number = 0
    while True:
        number += 1
        stem = f"{name}-{number}"
        ids = [f"{stem}-{i}" for i in range(_PER_SEGMENT)]
        batch = RecordBatchColumns(id=ids, text=[f"text of {one}" for one in ids])
        receipt = hand_over(path, documents_segment(name, [batch]))
        note(log, "ingested", receipt.segment_id, stem, receipt.result["accepted"])
        if number % 3 == 0:
            try:
                snapshot, _ = fetch_snapshot(path, command="torture writer", corpus=name, wait_s=60)
            except SchemaError:
                continue
            if snapshot is not None:
                score = (np.arange(len(snapshot)) % 50 == 0).astype(float)
                scan = ScanRecord(
                    name, snapshot.snapshot, "rsg", "paper", {}, stem, 0.5, "1", utc_now(), 0.1, snapshot.version_ids,
                    score, score >= 0.5,
                )  # fmt: skip
                receipt = hand_over(path, scan_segment(scan))
                note(log, "scanned", receipt.result["scan"], len(snapshot))
        event = EventRecord(
            name,
            f"query {stem}",
            [RankedRecord(one, rank) for rank, one in enumerate(ids[:20], 1)],
            [CandidateRecord(one, rank, 1.5 if rank == 1 else 0.2, rank == 1) for rank, one in enumerate(ids[:5], 1)],
        )
        receipt = hand_over(path, events_segment([event]))
        note(log, "logged", receipt.result["ids"][0])


def start(role: str, path: Path, log: Path, argument: object) -> subprocess.Popen[bytes]:
    """Start a part as a process of its own."""
    command = [sys.executable, "-m", "benchmarks.torture", "--part", role, str(path), str(log), str(argument)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open(f"{log}.stderr", "ab"))


def acknowledged(log: Path) -> list[list[str]]:
    """Whole lines of the log."""
    text = log.read_bytes() if log.exists() else b""
    return [line.decode().split() for line in text[: text.rfind(b"\n") + 1].splitlines()]


def check(path: Path, log: Path, extra: int) -> list[str]:
    """Everything that must hold after the last kill, in words where it does not."""
    grow(extra)
    problems = []

    def expect(holds: bool, text: str) -> None:
        if not holds:
            problems.append(text)

    with Warehouse.open(path, command="torture check", wait_s=20) as wh:
        take_in(wh)
        expect(waiting(path) == 0, "the inbox was not taken in")
        cursor = wh.cursor()

        def value(query: str, *parameters: object) -> int:
            return int(cursor.execute(query, list(parameters)).fetchall()[0][0])

        for words in acknowledged(log):
            kind, rest = words[0], words[1:]
            if kind == "ingested":
                found = value("SELECT count(*) FROM document_versions WHERE starts_with(document_id, ?)", f"{rest[1]}-")
                expect(found == _PER_SEGMENT, f"ingest {rest[1]}: {found} documents, acknowledged {_PER_SEGMENT}")
            elif kind == "scanned":
                found = value("SELECT count(*) FROM scan_scores WHERE scan_id = ?", rest[0])
                expect(found == int(rest[1]), f"scan {rest[0]}: {found} scores, acknowledged {rest[1]}")
            elif kind == "logged":
                expect(
                    value("SELECT count(*) FROM event_ranking WHERE event_id = ?", rest[0]) == 20, f"event {rest[0]}"
                )
            elif kind == "decided":
                query = "SELECT count(*) FROM alert_events WHERE alert_id = ? AND kind = 'decided'"
                expect(value(query, rest[0]) == 1, f"decision {rest[0]}")
            elif kind == "published":
                query = "SELECT count(*) FROM quarantine_events WHERE quarantine_id = ? AND kind = 'published'"
                expect(value(query, rest[0]) == 1, f"publication {rest[0]}")
            else:
                problems.append(" ".join(words))
        problems += broken_rules(wh)
        tables = ("audit_log", "document_versions", "scans", "alert_events", "publications")
        print("rows:", ", ".join(f"{name} {value(f'SELECT count(*) FROM {name}'):,}" for name in tables))
    return problems


def _wait_for_progress(log: Path, at_most_s: float = 20.0) -> None:
    """Until something more was acknowledged: on a busy machine a part could be killed before it did anything."""
    before, until = log.stat().st_size if log.exists() else 0, time.monotonic() + at_most_s
    while (log.stat().st_size if log.exists() else 0) == before and time.monotonic() < until:
        time.sleep(0.02)


def torture(kills: int, seed: int, folder: Path, longest_s: float = 1.5) -> list[str]:
    """Run and check; returns the problems found."""
    chance = random.Random(seed)
    path, log, extra = folder / "w.duckdb", folder / "log", 0
    names = ("w1", "w2")
    parts = {name: start("writer", path, log, name) for name in names} | {"owner": start("owner", path, log, extra)}
    try:
        for number in range(kills):
            _wait_for_progress(log)
            time.sleep(chance.uniform(0.0, longest_s))
            victim = chance.choice(["owner", "owner", *names])
            parts[victim].send_signal(signal.SIGKILL)
            parts[victim].wait()
            if victim == "owner":
                extra += chance.random() < 0.4
                parts["owner"] = start("owner", path, log, extra)
            else:
                # A new name, so that no document is handed over under an id that was used before.
                parts[victim] = start("writer", path, log, f"{victim}.{number}")
        time.sleep(2.0)
    finally:
        for part in parts.values():
            part.kill()
            part.wait()
    counts: dict[str, int] = {}
    for words in acknowledged(log):
        counts[words[0]] = counts.get(words[0], 0) + 1
    print("acknowledged:", ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items())))
    try:
        return check(path, log, extra)
    finally:
        grow(0)


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", nargs=4, help=argparse.SUPPRESS)
    options, _ = parser.parse_known_args()
    if options.part:
        role, path, log, argument = options.part
        try:
            if role == "owner":
                owner(Path(path), Path(log), int(argument))
            else:
                writer(Path(path), Path(log), argument)
        except RagsieveError as error:
            note(Path(log), "problem", role, str(error).replace("\n", " "))
            return error.exit_code
    with tempfile.TemporaryDirectory() as folder:
        problems = torture(options.kills, options.seed, Path(folder))
        stderr = Path(folder, "log.stderr").read_text()[-3000:]
    for problem in problems:
        print("PROBLEM", problem)
    if problems and stderr:
        print(stderr)
    print(f"{options.kills} kills: {'all held' if not problems else f'{len(problems)} problems'}")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
