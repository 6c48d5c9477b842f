from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats.records import RecordBatchColumns
from tests.warehouse.builders import documents, event_of, scan_of
from warehouse.alerts import SORTS, QueueFilter, alert_detail, queue_ids, queue_page
from warehouse.database import Warehouse
from warehouse.events import record_events
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.scans import record_scan
from warehouse.snapshots import load_snapshot


@pytest.fixture
def queue(wh: Warehouse, me: Principal) -> str:
    """RSG alerts on d1 and d3, an RSQ alert on d1; d1 of tenant a, d3 of tenant b."""
    batch = RecordBatchColumns(
        id=[f"d{n}" for n in range(5)],
        text=[f"text {n}" for n in range(5)],
        tenant=["a", "a", "a", "b", "b"],
        contributor=["ann", "bob", "ann", "cy", "cy"],
    )
    result = ingest(wh, "c", [batch], principal=me)
    versions = load_snapshot(wh, str(result.snapshot), principal=me).version_ids
    record_scan(wh, scan_of(str(result.snapshot), versions, {1, 3}), principal=me)
    record_events(wh, [event_of("q", ["d1", "d0", "d2"], {"d1"}, tenant="a")], principal=me)
    return str(result.snapshot)


def test_filters(wh: Warehouse, me: Principal, queue: str) -> None:
    def found(**filters: object) -> set[tuple[str, str]]:
        page = queue_page(wh, principal=me, filters=QueueFilter(**filters))
        assert page.total == len(page.rows)
        return {(row["detector"], row["document_id"]) for row in page.rows}

    everything = {("rsg", "d1"), ("rsg", "d3"), ("rsq", "d1")}
    assert found() == everything
    assert found(detectors=["rsq"]) == {("rsq", "d1")}
    assert found(statuses=["open"]) == everything
    assert found(statuses=["decided"]) == set()
    assert found(contributor="cy") == {("rsg", "d3")}
    assert found(tenants=["a"]) == {("rsg", "d1"), ("rsq", "d1")}
    assert found(search="D3") == {("rsg", "d3")}
    assert found(min_score=1.0) == {("rsq", "d1")}
    assert found(corpus="c", detectors=["rsg"], contributor="bob") == {("rsg", "d1")}
    assert found(corpus="other") == set()
    scan = wh.cursor().execute("SELECT scan_id FROM scans").fetchall()[0][0]
    assert found(scan=scan) == {("rsg", "d1"), ("rsg", "d3")}
    assert len(queue_ids(wh, principal=me, filters=QueueFilter(detectors=["rsg"]))) == 2


def test_sorts_pages_and_their_refusals(wh: Warehouse, me: Principal, queue: str) -> None:
    for column in SORTS:
        up = queue_page(wh, principal=me, sort=column, descending=False).rows
        assert len(up) == 3
    page = queue_page(wh, principal=me, sort="score", limit=1, offset=1)
    assert (page.total, page.rows[0]["score"]) == (3, 0.9)
    with pytest.raises(InputError, match="'severity'"):
        queue_page(wh, principal=me, sort="severty")
    for limit, offset in ((0, 0), (501, 0), (1, -1)):
        with pytest.raises(InputError):
            queue_page(wh, principal=me, limit=limit, offset=offset)


def test_severity_by_hand(wh: Warehouse, me: Principal, queue: str) -> None:
    rows = {(row["detector"], row["document_id"]): row for row in queue_page(wh, principal=me).rows}
    # 40 · 0.9/(2 · 0.5), no context, alone, nothing said of its source, lowest tier.
    assert rows["rsg", "d3"]["severity"] == pytest.approx(36.0 + 5.0)
    # 40 · 1.5/(2 · 1.0) + 25 · log10(2)/2 + 5, alone.
    assert rows["rsq", "d1"]["severity"] == pytest.approx(30 + 12.5 * np.log10(2) + 5.0)


def test_detail(wh: Warehouse, me: Principal, queue: str) -> None:
    rows = {(row["detector"], row["document_id"]): row["alert_id"] for row in queue_page(wh, principal=me).rows}
    detail = alert_detail(wh, rows["rsq", "d1"], principal=me)
    assert detail.document["text"] == "text 1"
    assert [row["score"] for row in detail.evidence] == [1.5]
    assert [row["score"] for row in detail.scores] == [0.9]
    assert [row["document_id"] for row in detail.neighbors] == ["d0", "d2"]
    assert [(row["rank"], row["query_text"]) for row in detail.reach] == [(1, "q")]
    assert (detail.reach_totals["retrieved"], detail.reach_totals["best_rank"]) == (1, 1)
    assert [row["kind"] for row in detail.history] == ["opened", "evidence"]
    with pytest.raises(InputError, match="no alert"):
        alert_detail(wh, "alert_nothing", principal=me)


def test_another_tenants_alerts_do_not_exist(wh: Warehouse, me: Principal, queue: str) -> None:
    bea = Principal("bea", "reviewer", frozenset({"b"}))
    page = queue_page(wh, principal=bea)
    assert [row["document_id"] for row in page.rows] == ["d3"]
    assert page.total == 1
    detail = alert_detail(wh, page.rows[0]["alert_id"], principal=bea)
    assert detail.neighbors == [], "its neighbours in the scan are tenant a's"
    hidden = next(row for row in queue_page(wh, principal=me).rows if row["document_id"] == "d1")
    with pytest.raises(InputError, match="no alert"):
        alert_detail(wh, hidden["alert_id"], principal=bea)


def test_same_text_same_alert_changed_text_another(wh: Warehouse, me: Principal) -> None:
    def scan_now(rule: str, snapshot: str) -> int:
        versions = load_snapshot(wh, snapshot, principal=me).version_ids
        return record_scan(wh, scan_of(snapshot, versions, {0}, rule=rule), principal=me).new_alerts

    first = ingest(wh, "c", [documents(1), documents(2, start=1)], principal=me)
    assert scan_now("one", str(first.snapshot)) == 1
    assert scan_now("two", str(first.snapshot)) == 0
    # The document moves to the end, so position 0 must be found again: change the others instead.
    changed = RecordBatchColumns(id=["d1", "d2"], text=["text 1", "text 2"], contributor=["x", "x"])
    second = ingest(wh, "c", [changed], principal=me)
    assert scan_now("three", str(second.snapshot)) == 0
    assert queue_page(wh, principal=me).rows[0]["evidence"] == 3
    third = ingest(wh, "c", [RecordBatchColumns(id=["d0"], text=["text 0!"])], principal=me)
    versions = load_snapshot(wh, str(third.snapshot), principal=me).version_ids
    assert record_scan(wh, scan_of(str(third.snapshot), versions, {2}), principal=me).new_alerts == 1
    assert [row["document_id"] for row in queue_page(wh, principal=me).rows] == ["d0", "d0"]


def test_campaigns_travel_with_their_evidence(wh: Warehouse, me: Principal) -> None:
    import dataclasses

    result = ingest(wh, "c", [documents(4)], principal=me)
    versions = load_snapshot(wh, str(result.snapshot), principal=me).version_ids
    scan = dataclasses.replace(scan_of(str(result.snapshot), versions, {0, 1, 3}), campaign=np.array([0, 0, -1, -1]))
    record_scan(wh, scan, principal=me)
    rows = {row["document_id"]: row for row in queue_page(wh, principal=me).rows}
    assert [rows[name]["campaign_size"] for name in ("d0", "d1", "d3")] == [2, 2, 1]
    assert rows["d3"]["campaign"] is None
    page = queue_page(wh, principal=me, filters=QueueFilter(campaign=rows["d0"]["campaign"]))
    assert {row["document_id"] for row in page.rows} == {"d0", "d1"}


def test_the_current_state_is_the_folded_history(wh: Warehouse, me: Principal, queue: str) -> None:
    from warehouse.decisions import decide

    for row in queue_page(wh, principal=me).rows[:2]:
        decide(wh, row["alert_id"], row["version"], principal=me, verdict="keep", reason="benign")
    record_events(wh, [event_of("q2", ["d1", "d0", "d2"], {"d1"}, tenant="a")], principal=me)
    folded, current = (
        wh.cursor().execute(f"SELECT * FROM {name} ORDER BY alert_id").df().to_dict("records")
        for name in ("alert_folded", "alert_current")
    )
    assert len(current) == 3
    assert str(folded) == str(current)


def test_the_evidence_that_the_score_comes_from_stands_first(wh: Warehouse, me: Principal, queue: str) -> None:
    """Whoever opens an alert of 4.0 wants to see the query that made it 4.0, not the last one that flagged the text."""
    for query, score in (("the strongest", 4.0), ("later and weaker", 1.25), ("not flagged", 0.5)):
        event = event_of(query, ["d1", "d0", "d2"], {"d1"} if score >= 1 else set(), tenant="a")
        event.candidates[0] = replace(event.candidates[0], score=score)
        record_events(wh, [event], principal=me)
    found = next(row for row in queue_page(wh, principal=me).rows if row["detector"] == "rsq")
    shown = alert_detail(wh, found["alert_id"], principal=me).evidence
    assert [row["score"] for row in shown] == [4.0, 1.5, 1.25, 0.5]
    assert shown[0]["score"] == found["score"]
