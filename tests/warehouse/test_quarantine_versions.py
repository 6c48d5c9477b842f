"""Exposure until approval: answers since the proposal whose context held what it would take out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.warehouse.builders import event_of
from tests.warehouse.desk import ADA, CY, OF_B, fill
from warehouse.database import Warehouse
from warehouse.events import record_events
from warehouse.quarantine import propose
from warehouse.quarantine_versions import proposal_exposure


@pytest.fixture
def wh(tmp_path: Path):
    with Warehouse.open(tmp_path / "w.duckdb", command="pytest") as opened:
        yield opened


def test_only_answers_since_the_proposal_count(wh: Warehouse) -> None:
    alerts = fill(wh)
    record_events(wh, [event_of("before", ["d0", "d1"])], principal=ADA)
    made = propose(wh, principal=CY, add=[alerts["d0"], alerts["d3"]])
    none = proposal_exposure(wh, made.quarantine_id, principal=ADA)
    assert [(row["document_id"], row["answers"], row["last_at"]) for row in none] == [("d0", 0, None), ("d3", 0, None)]
    asked = [
        event_of("one", ["d0", "d1"]),
        event_of("one", ["d0", "d2"]),
        event_of("two", ["d0", "d1"], tenant="b"),
        event_of("three", ["d1", "d0"]),
    ]
    record_events(wh, asked, principal=ADA)
    found = proposal_exposure(wh, made.quarantine_id, principal=ADA)
    assert [(row["document_id"], row["answers"], row["queries"], row["tenants"]) for row in found] == [
        ("d0", 3, 2, 2),
        ("d3", 0, 0, 0),
    ]
    # Another tenant's document and its answers do not exist
    assert [row["document_id"] for row in proposal_exposure(wh, made.quarantine_id, principal=OF_B)] == ["d3"]
