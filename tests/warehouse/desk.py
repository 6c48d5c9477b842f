"""A small desk: documents of two tenants, one alert each, and people of every role."""

from __future__ import annotations

from collections.abc import Sequence

from ragsieve_core.publication import PublicationReader
from tests.warehouse.builders import documents, event_of, scan_of
from warehouse.alerts import alert_detail, queue_page
from warehouse.database import Warehouse
from warehouse.events import record_events
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.scans import record_scan
from warehouse.snapshots import load_snapshot

ADA = Principal("ada", "admin")
BOB = Principal("bob", "approver")
CY = Principal("cy", "reviewer")
DEE = Principal("dee", "reviewer")
LOCAL = Principal("ada", "admin", mode="single_user_mode")
OF_B = Principal("bea", "admin", frozenset({"b"}))


def fill(wh: Warehouse, count: int = 4, *, flagged: Sequence[int] | None = None) -> dict[str, str]:
    """Documents d0, d1, … (the last half of tenant b), scanned and flagged; document id -> alert id."""
    half = count // 2
    ingest(wh, "c", [documents(half, tenant="a"), documents(count - half, start=half, tenant="b")], principal=ADA)
    return scan(wh, range(count) if flagged is None else flagged)


def scan(wh: Warehouse, flagged: Sequence[int], *, rule: str = "paper", score: float = 0.9) -> dict[str, str]:
    """Scan the latest snapshot; document id -> alert id of every alert."""
    from dataclasses import replace

    import numpy as np

    from warehouse.snapshots import latest_snapshot

    snapshot = latest_snapshot(wh, "c", principal=ADA)
    assert snapshot is not None
    held = load_snapshot(wh, snapshot.snapshot_id, principal=ADA)
    made = scan_of(snapshot.snapshot_id, held.version_ids, set(flagged), rule=rule)
    record_scan(wh, replace(made, score=np.where(made.flagged, score, 0.1)), principal=ADA)
    return alerts(wh)


def alerts(wh: Warehouse) -> dict[str, str]:
    """Document id -> alert id."""
    return {row["document_id"]: row["alert_id"] for row in queue_page(wh, principal=ADA, limit=500).rows}


def reached(wh: Warehouse, document: str, times: int) -> None:
    """Let a document into the context of that many answers."""
    events = [
        event_of(f"{document} {number}", [document, "d0" if document != "d0" else "d1"]) for number in range(times)
    ]
    record_events(wh, events, principal=ADA)


def row(wh: Warehouse, alert: str) -> dict:
    """Current row of an alert."""
    return alert_detail(wh, alert, principal=ADA).alert


def version(wh: Warehouse, alert: str) -> int:
    """Version of an alert."""
    return int(row(wh, alert)["version"])


def quarantined(wh: Warehouse) -> set[str]:
    """What a gate in another process would leave out."""
    reading = PublicationReader(wh.side.folder("published"), missing="open").read()
    return {name for _, name in reading.in_force.quarantined}
