"""What changed between two scans, counted by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats.records import RecordBatchColumns
from tests.warehouse.builders import documents, scan_of
from warehouse.database import Warehouse
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import NeighborColumns, ScanRecord
from warehouse.scans import record_scan, scan_changes
from warehouse.snapshots import load_snapshot


def store(wh: Warehouse, me: Principal, batch: RecordBatchColumns, *, full: bool = False) -> tuple[str, np.ndarray]:
    snapshot = str(ingest(wh, "c", [batch], principal=me, full=full).snapshot)
    return snapshot, load_snapshot(wh, snapshot, principal=me).version_ids


def near(scan: ScanRecord, position: list[list[int]], density: list[float] | None = None) -> ScanRecord:
    """The scan with these neighbours and densities."""
    places = np.array(position)
    columns = NeighborColumns(
        places, np.full(places.shape, 0.5), np.full(places.shape, 0.1), np.zeros(places.shape, dtype=bool)
    )
    changed = {} if density is None else {"density": np.array(density)}
    return dataclasses.replace(scan, neighbors=columns, **changed)


RING = [[1, 2], [0, 2], [1, 3], [2, 1]]


def test_the_first_scan_has_nothing_to_be_compared_with(wh: Warehouse, me: Principal) -> None:
    recorded = record_scan(wh, near(scan_of(*store(wh, me, documents(4)), {1}), RING), principal=me)
    found = scan_changes(wh, recorded.scan, me)
    assert (found.previous, found.documents, found.added, found.new_alerts, found.rows) == (None, 4, 4, 1, [])


def test_every_change_has_its_reason(wh: Warehouse, me: Principal) -> None:
    """d0 loses its alert as d2 takes d1's place beside it; d1 gets another text; d3 goes; d4 comes and alerts."""
    first = record_scan(
        wh, near(scan_of(*store(wh, me, documents(4)), {0, 3}), [[1, 3], [0, 2], [1, 3], [2, 1]]), principal=me
    )
    batch = documents(5)
    batch.text[1] = "another text"
    for column in ("id", "text", "tenant"):
        del getattr(batch, column)[3]
    snapshot, versions = store(wh, me, batch, full=True)
    ids = load_snapshot(wh, snapshot, principal=me).ids
    place = {name: row for row, name in enumerate(ids)}
    beside = {"d0": ("d2", "d4"), "d2": ("d0", "d4"), "d1": ("d0", "d2"), "d4": ("d0", "d2")}
    position = [[place[other] for other in beside[name]] for name in ids]
    scan = near(scan_of(snapshot, versions, {place["d1"], place["d4"]}), position)
    second = record_scan(wh, scan, principal=me)
    found = scan_changes(wh, second.scan, me)
    assert found.previous == first.scan
    assert (found.documents, found.added, found.removed, found.changed) == (4, 1, 1, 1)
    # d0 and d2 kept their text, and both have other neighbours
    assert (found.new_alerts, found.alerts_gone, found.moved) == (2, 2, 2)
    told = {row["document_id"]: (row["kind"], row["reason"], row["joined"], row["left_out"]) for row in found.rows}
    assert told == {
        "d1": ("new_alert", "text_changed", [], []),
        "d4": ("new_alert", "new_document", [], []),
        "d0": ("alert_gone", "neighbours_changed", ["d2", "d4"], ["d1", "d3"]),
        "d3": ("alert_gone", "document_gone", [], []),
        "d2": ("moved", "neighbours_changed", ["d0", "d4"], ["d1", "d3"]),
    }
    assert second.changes["new_alerts"] == 2
    assert [row["document_id"] for row in second.changes["rows"]] == [row["document_id"] for row in found.rows]


def test_a_neighbour_under_another_provenance_is_the_same_neighbour(wh: Warehouse, me: Principal) -> None:
    record_scan(wh, near(scan_of(*store(wh, me, documents(4)), set()), RING), principal=me)
    batch = documents(4)
    batch.contributor = ["", "eve", "", ""]
    snapshot, versions = store(wh, me, batch)
    ids = load_snapshot(wh, snapshot, principal=me).ids
    order = [ids.index(f"d{number}") for number in range(4)]
    position = [[order[other] for other in RING[int(name[1])]] for name in ids]
    found = scan_changes(wh, record_scan(wh, near(scan_of(snapshot, versions, set()), position), principal=me).scan, me)
    assert (found.changed, found.moved, found.added) == (0, 0, 0)


def test_the_same_neighbours_and_another_flag(wh: Warehouse, me: Principal) -> None:
    """A rule measured against the whole corpus can flip a document that nothing near it touched; so can new code."""
    snapshot, versions = store(wh, me, documents(4))
    record_scan(wh, near(scan_of(snapshot, versions, set()), RING), principal=me)
    newer = dataclasses.replace(near(scan_of(snapshot, versions, {2}), RING), code_version="2")
    found = scan_changes(wh, record_scan(wh, newer, principal=me).scan, me)
    assert [(row["document_id"], row["reason"]) for row in found.rows] == [("d2", "code_changed")]
    more, versions = store(wh, me, documents(5))
    far = dataclasses.replace(near(scan_of(more, versions, {1, 2}), [*RING, [0, 1]]), code_version="2")
    found = scan_changes(wh, record_scan(wh, far, principal=me).scan, me)
    assert [(row["document_id"], row["reason"]) for row in found.rows] == [("d1", "corpus_changed")]


def test_moved_documents_by_change_of_density(wh: Warehouse, me: Principal) -> None:
    snapshot, versions = store(wh, me, documents(4))
    record_scan(wh, near(scan_of(snapshot, versions, set()), RING, [0.1, 0.2, 0.3, 0.4]), principal=me)
    more, versions = store(wh, me, documents(5))
    position = [[1, 4], [0, 4], [1, 3], [2, 4], [0, 1]]
    scan = near(scan_of(more, versions, set()), position, [0.2, 0.9, 0.3, 0.5, 0.0])
    found = scan_changes(wh, record_scan(wh, scan, principal=me).scan, me)
    assert found.moved == 3
    assert [row["document_id"] for row in found.rows] == ["d1", "d0", "d3"]
    assert (found.rows[0]["density_before"], found.rows[0]["density"]) == (0.2, 0.9)


def test_another_rule_is_no_previous_scan(wh: Warehouse, me: Principal) -> None:
    snapshot, versions = store(wh, me, documents(4))
    record_scan(wh, near(scan_of(snapshot, versions, {1}), RING), principal=me)
    other = record_scan(wh, near(scan_of(snapshot, versions, {1}, rule="other"), RING), principal=me)
    assert scan_changes(wh, other.scan, me).previous is None


def test_a_tenant_is_told_of_its_own_documents(wh: Warehouse, me: Principal) -> None:
    store(wh, me, documents(2, tenant="a"))
    snapshot, versions = store(wh, me, documents(2, start=2, tenant="b"))
    record_scan(wh, near(scan_of(snapshot, versions, set()), RING), principal=me)
    more, versions = store(wh, me, documents(1, start=4, tenant="b"))
    position = [[1, 4], [0, 4], [1, 3], [2, 4], [0, 1]]
    scan = record_scan(wh, near(scan_of(more, versions, {0, 3, 4}), position), principal=me).scan
    ann, eve = Principal("ann", "reviewer", frozenset({"a"})), Principal("eve", "reviewer", frozenset({"z"}))
    found = scan_changes(wh, scan, ann)
    assert (found.documents, found.added, found.new_alerts, found.moved) == (2, 0, 1, 2)
    assert {row["document_id"] for row in found.rows} == {"d0", "d1"}
    # d4 joined both, and is another tenant's
    assert [row["joined"] for row in found.rows] == [[], []]
    everything = {row["document_id"]: row["joined"] for row in scan_changes(wh, scan, me).rows}
    assert everything["d0"] == everything["d1"] == ["d4"]
    with pytest.raises(InputError, match="no scan"):
        scan_changes(wh, scan, eve)
