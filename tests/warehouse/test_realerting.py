"""A release sticks: unchanged it does not alert, changed by one word it does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ragsieve_core.formats.records import RecordBatchColumns
from tests.warehouse.desk import ADA, BOB, CY, alerts, fill, quarantined, row, scan, version
from warehouse import audit, realerting
from warehouse.alerts import QueueFilter, alert_detail, queue_page
from warehouse.approvals import approve
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.ids import utc_now
from warehouse.ingest import ingest
from warehouse.quarantine import propose, publish_version
from warehouse.realerting import allow_list


@pytest.fixture
def released(wh: Warehouse) -> str:
    name = fill(wh, flagged=[0])["d0"]
    decide(wh, name, 1, principal=CY, verdict="quarantine", reason="true_positive")
    approve(wh, [name], principal=BOB)
    assert quarantined(wh) == {"d0"}
    out = propose(wh, principal=CY, remove=[("c", "d0")], note="a known page", release_reason="benign", release_days=30)
    publish_version(wh, out.quarantine_id, principal=BOB)
    assert quarantined(wh) == set()
    assert row(wh, name)["status"] == "closed"
    return name


def open_ones(wh: Warehouse) -> set[str]:
    return {r["alert_id"] for r in queue_page(wh, principal=ADA, filters=QueueFilter(statuses=["open"])).rows}


def test_unchanged_it_stays_quiet(wh: Warehouse, released: str) -> None:
    (entry,) = allow_list(wh, principal=ADA, alert=released)
    assert (entry["rule_key"], entry["cause"], entry["reason"], entry["active"]) == (
        "rsg:paper:key-paper",
        "released",
        "benign",
        True,
    )
    ingest(wh, "c", [RecordBatchColumns(id=["d9"], text=["more"], tenant=["a"])], principal=ADA)
    scan(wh, [0])
    assert open_ones(wh) == set()
    assert row(wh, released)["status"] == "closed"
    assert row(wh, released)["evidence"] == 2


def test_changed_by_one_word_it_alerts(wh: Warehouse, released: str) -> None:
    ingest(wh, "c", [RecordBatchColumns(id=["d0"], text=["text zero"], tenant=["a"])], principal=ADA)
    scan(wh, [3])
    (found,) = open_ones(wh)
    assert found != released
    assert row(wh, found)["document_id"] == "d0"


def test_another_detector_version_alerts(wh: Warehouse, released: str) -> None:
    scan(wh, [0], rule="calibrated")
    assert open_ones(wh) == {released}
    last = alert_detail(wh, released, principal=ADA).history[-1]
    assert last["kind"] == "realerted"
    assert '"cause":"detector_version"' in last["payload"]
    assert '"status":"closed"' in last["payload"]
    assert broken_rules(wh) == []
    assert audit.verify(wh).ok


def test_a_much_higher_score_alerts(wh: Warehouse, released: str) -> None:
    ingest(wh, "c", [RecordBatchColumns(id=["d9"], text=["more"], tenant=["a"])], principal=ADA)
    scan(wh, [0], score=1.1)
    assert open_ones(wh) == set(), "0.2 above is within half the threshold"
    ingest(wh, "c", [RecordBatchColumns(id=["d10"], text=["and more"], tenant=["a"])], principal=ADA)
    scan(wh, [0], score=1.2)
    assert open_ones(wh) == {released}


def test_it_ends_with_its_time(wh: Warehouse, released: str, monkeypatch) -> None:
    later = utc_now() + timedelta(days=31)
    monkeypatch.setattr(realerting, "utc_now", lambda: later)
    ingest(wh, "c", [RecordBatchColumns(id=["d9"], text=["more"], tenant=["a"])], principal=ADA)
    scan(wh, [0])
    assert open_ones(wh) == {released}


def test_a_keep_sticks_too(wh: Warehouse) -> None:
    name = fill(wh, flagged=[0])["d0"]
    decide(wh, name, 1, principal=CY, verdict="keep", reason="benign")
    ingest(wh, "c", [RecordBatchColumns(id=["d9"], text=["more"], tenant=["a"])], principal=ADA)
    scan(wh, [0])
    assert open_ones(wh) == set()
    scan(wh, [0], rule="other")
    assert open_ones(wh) == {name}
    assert version(wh, name) == 3
    assert alerts(wh)["d0"] == name
