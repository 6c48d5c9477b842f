from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.builders import documents, scan_of
from warehouse import audit
from warehouse.alerts import queue_page
from warehouse.database import Warehouse
from warehouse.ids import utc_now
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.scans import (
    SORTS,
    find_scan,
    get_scan,
    list_scans,
    record_failed_scan,
    record_scan,
    scan_neighbors,
    scan_scores,
    score_page,
)
from warehouse.snapshots import load_snapshot


@pytest.fixture
def stored(wh: Warehouse, me: Principal):
    result = ingest(wh, "c", [documents(6)], principal=me)
    versions = load_snapshot(wh, str(result.snapshot), principal=me).version_ids
    return str(result.snapshot), versions


def test_a_scan_is_stored_whole_with_its_alerts(wh: Warehouse, me: Principal, stored) -> None:
    snapshot, versions = stored
    recorded = record_scan(wh, scan_of(snapshot, versions, {1, 4}), principal=me)
    assert (recorded.documents, recorded.flagged, recorded.alerts, recorded.new_alerts) == (6, 2, 2, 2)
    table = scan_scores(wh, recorded.scan, principal=me)
    assert table["score"].to_pylist() == [0.1, 0.9, 0.1, 0.1, 0.9, 0.1]
    assert table["floor"].to_pylist() == [0.25] * 6
    assert table["topology_score"].null_count == 6
    row = get_scan(wh, recorded.scan, principal=me)
    assert (row["status"], row["documents"], row["flagged"], row["corpus"]) == ("finished", 6, 2, "c")
    near = scan_neighbors(wh, recorded.scan, [int(versions[0])], principal=me)
    assert [(entry["position"], entry["document_id"], entry["reason"]) for entry in near] == [
        (1, "d1", "cosine"),
        (2, "d2", "cosine"),
    ]
    assert near[0]["flagged"]


def test_an_equal_scan_is_found_not_stored(wh: Warehouse, me: Principal, stored) -> None:
    scan = scan_of(*stored, {1})
    first, again = (record_scan(wh, scan, principal=me) for _ in range(2))
    assert again.already
    assert again.scan == first.scan
    assert again.alerts == 1
    assert len(list_scans(wh, principal=me)) == 1
    found = find_scan(
        wh, snapshot=stored[0], detector="rsg", config_key="key-paper", encoder=None, code_version="1", principal=me
    )
    assert found is not None
    assert found["scan_id"] == first.scan
    assert record_scan(wh, scan_of(*stored, {1}, rule="other"), principal=me).new_alerts == 0


def test_a_failed_scan_says_so_and_changes_nothing_else(wh: Warehouse, me: Principal, stored) -> None:
    arguments = {
        "snapshot": stored[0],
        "detector": "rsg",
        "rule": "paper",
        "config": {},
        "config_key": "key-paper",
        "threshold": 0.5,
        "code_version": "1",
        "started_at": utc_now(),
        "seconds": 1.0,
    }
    scan_id = record_failed_scan(wh, **arguments, error="no model", principal=me)
    row = get_scan(wh, scan_id, principal=me)
    assert (row["status"], row["error"]) == ("failed", "no model")
    assert queue_page(wh, principal=me).total == 0
    found = find_scan(
        wh, snapshot=stored[0], detector="rsg", config_key="key-paper", encoder=None, code_version="1", principal=me
    )
    assert found is None
    assert not record_scan(wh, scan_of(*stored, {1}), principal=me).already


@pytest.mark.parametrize(
    "change",
    [
        {"score": np.ones(5)},
        {"flagged": np.zeros(7, dtype=bool)},
        {"floor": np.ones(2)},
        {"score": np.array([1, 2, 3, 4, 5, np.nan])},
        {"version_ids": np.array([1, 2, 3, 4, 5, 99])},
        {"version_ids": np.array([1, 2, 3, 4, 5, 5])},
        {"snapshot": "snap_x"},
    ],
)
def test_a_scan_that_does_not_fit_is_refused_whole(wh: Warehouse, me: Principal, stored, change) -> None:
    before = audit.head(wh)
    with pytest.raises(InputError):
        record_scan(wh, dataclasses.replace(scan_of(*stored, {1}), **change), principal=me)
    assert list_scans(wh, principal=me) == []
    assert audit.head(wh) == before


def test_pages_agree_with_a_sort_in_python(wh: Warehouse, me: Principal, stored) -> None:
    snapshot, versions = stored
    scores = np.array([0.3, 0.9, 0.3, 0.7, 0.1, 0.5])
    scan = dataclasses.replace(scan_of(snapshot, versions, set()), score=scores, flagged=scores >= 0.5)
    name = record_scan(wh, scan, principal=me).scan
    page = score_page(wh, name, principal=me, limit=4, offset=1)
    expected = sorted(zip(scores.tolist(), versions.tolist(), strict=True), key=lambda pair: (-pair[0], pair[1]))
    assert [(row["score"], row["version_id"]) for row in page.rows] == expected[1:5]
    assert page.total == 6
    assert score_page(wh, name, principal=me, flagged=True).total == 3
    assert [row["document_id"] for row in score_page(wh, name, principal=me, search="D3").rows] == ["d3"]
    for column in SORTS:
        for descending in (True, False):
            assert len(score_page(wh, name, principal=me, sort=column, descending=descending).rows) == 6
    with pytest.raises(InputError, match="did you mean 'score'"):
        score_page(wh, name, principal=me, sort="scor")


def test_a_tenant_sees_its_own_rows_of_a_scan(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(2, tenant="a")], principal=me)
    result = ingest(wh, "c", [documents(3, start=2, tenant="b")], principal=me)
    versions = load_snapshot(wh, str(result.snapshot), principal=me).version_ids
    scan = record_scan(wh, scan_of(str(result.snapshot), versions, {0, 2, 3}), principal=me).scan
    ann, eve = Principal("ann", "reviewer", frozenset({"a"})), Principal("eve", "reviewer", frozenset({"z"}))
    row = get_scan(wh, scan, principal=ann)
    assert (row["documents"], row["flagged"]) == (2, 1)
    assert score_page(wh, scan, principal=ann).total == 2
    assert scan_scores(wh, scan, principal=ann).num_rows == 2
    near = scan_neighbors(wh, scan, versions.tolist(), principal=ann)
    assert {entry["document_id"] for entry in near} == {"d0", "d1"}
    assert list_scans(wh, principal=eve) == []
    with pytest.raises(InputError, match="no scan"):
        get_scan(wh, scan, principal=eve)
