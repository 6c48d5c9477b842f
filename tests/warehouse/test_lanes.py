"""A person's write passes a bulk write that is under way, and neither loses what the other did."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from tests.warehouse.builders import documents, scan_of
from warehouse import scans
from warehouse.alerts import queue_page
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.scans import record_scan
from warehouse.snapshots import load_snapshot


@pytest.fixture
def slow_scan(wh: Warehouse, me: Principal, monkeypatch: pytest.MonkeyPatch):
    """A second scan of an alerted corpus that stops inside its transaction, before or after it touched the alerts."""
    snapshot = str(ingest(wh, "c", [documents(3)], principal=me).snapshot)
    versions = load_snapshot(wh, snapshot, principal=me).version_ids
    record_scan(wh, scan_of(snapshot, versions, {1}), principal=me)
    inside, go_on, runs = threading.Event(), threading.Event(), []
    row_of = scans.scan_values

    def counted(*arguments: object) -> object:
        runs.append("scan")
        return row_of(*arguments)

    # Once per run of the transaction, while "feed" comes once per kind of evidence.
    monkeypatch.setattr(scans, "scan_values", counted)

    def stopping(name: str) -> threading.Thread:
        real: Callable[..., object] = getattr(scans, name)

        def stop_once(*arguments: object, **named: object) -> object:
            result = real(*arguments, **named)
            if not inside.is_set():
                inside.set()
                assert go_on.wait(30)
            return result

        monkeypatch.setattr(scans, name, stop_once)
        thread = threading.Thread(
            target=record_scan, args=(wh, scan_of(snapshot, versions, {1}, rule="other")), kwargs={"principal": me}
        )
        thread.start()
        assert inside.wait(30)
        return thread

    return stopping, go_on, runs


def _decide(wh: Warehouse, me: Principal) -> None:
    row = queue_page(wh, principal=me).rows[0]
    decide(wh, row["alert_id"], row["version"], principal=me, verdict="keep", reason="benign")


def _check(wh: Warehouse, me: Principal) -> None:
    (row,) = queue_page(wh, principal=me).rows
    assert (row["status"], row["verdict"], row["version"], row["evidence"]) == ("decided", "keep", 2, 2)
    assert broken_rules(wh) == []


@pytest.mark.parametrize("place", ["feed", "refresh_alerts"])
def test_the_decision_passes_a_scan_under_way(wh: Warehouse, me: Principal, slow_scan, place: str) -> None:
    stopping, go_on, runs = slow_scan
    scan = stopping(place)
    _decide(wh, me)
    assert queue_page(wh, principal=me).rows[0]["verdict"] == "keep", "while the scan still stands in its transaction"
    go_on.set()
    scan.join()
    assert runs == ["scan"], "neither had to start again"
    _check(wh, me)


def test_delete_and_update_of_one_row_do_not_conflict_in_duckdb(wh: Warehouse) -> None:
    """Why no current state is ever deleted and written anew. If this fails, DuckDB has become stricter: good news."""
    with wh.transaction() as cursor:
        cursor.execute("INSERT INTO warehouse_facts VALUES ('a', '1')")
        cursor.execute("CREATE TABLE plain AS SELECT * FROM warehouse_facts")
    bulk = wh.cursor()
    bulk.execute("BEGIN")
    bulk.execute("SELECT * FROM plain").fetchall()
    wh.cursor().execute("UPDATE plain SET value = '2'")
    bulk.execute("DELETE FROM plain")
    bulk.execute("INSERT INTO plain VALUES ('a', '1')")
    bulk.execute("COMMIT")
    assert wh.cursor().execute("SELECT value FROM plain").fetchall() == [("1",)]
