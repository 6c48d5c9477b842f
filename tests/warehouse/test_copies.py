"""Copy groups: what becomes an alert, and what stays a row."""

from __future__ import annotations

import dataclasses

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats.records import RecordBatchColumns
from tests.warehouse.builders import scan_of
from warehouse.alerts import QueueFilter, queue_page
from warehouse.copies import list_copy_groups
from warehouse.corpora import ensure_corpus
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.ids import utc_now
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.publish import content
from warehouse.records import CopyRecord
from warehouse.scans import RecordedScan, record_scan
from warehouse.snapshots import load_snapshot


def scan(
    wh: Warehouse,
    me: Principal,
    sources: list[str],
    kind: str = "flood",
    *,
    members: int = 3,
    flagged: frozenset[int] = frozenset(),
    contributors: list[str] | None = None,
    tenants: list[str] | None = None,
) -> RecordedScan:
    """Ingest one document per source and scan; the first ``members`` are a group of copies."""
    count = len(sources)
    rows = RecordBatchColumns(
        id=[f"d{n}" for n in range(count)],
        text=[f"text {n}" for n in range(count)],
        source_uri=sources,
        contributor=contributors or [""] * count,
        tenant=tenants or [""] * count,
    )
    snapshot = str(ingest(wh, "c", [rows], principal=me).snapshot)
    held = load_snapshot(wh, snapshot, principal=me)
    group = CopyRecord(kind, [held.ids.index(f"d{n}") for n in range(members)], members, 0.95, 0.0)
    record = scan_of(snapshot, held.version_ids, {held.ids.index(f"d{n}") for n in flagged})
    return record_scan(wh, dataclasses.replace(record, copies=[group], summary={"copy_groups": {}}), principal=me)


def test_a_flood_is_a_kind_of_its_own_in_the_queue(wh: Warehouse, me: Principal) -> None:
    recorded = scan(wh, me, ["s0", "s1", "s1", "s3"], flagged=frozenset({0, 3}))
    assert (recorded.alerts, recorded.copies, recorded.new_copies) == (2, 3, 3)
    copies = queue_page(wh, principal=me, filters=QueueFilter(kinds=["copies"])).rows
    assert [row["document_id"] for row in sorted(copies, key=lambda row: row["document_id"])] == ["d0", "d1", "d2"]
    assert {(row["detector"], row["kind"]) for row in copies} == {("copies", "copies")}
    (group,) = {row["campaign"] for row in copies}
    assert queue_page(wh, principal=me, filters=QueueFilter(campaign=group)).total == 3
    others = queue_page(wh, principal=me, filters=QueueFilter(kinds=["isolation"])).rows
    assert {row["document_id"] for row in others} == {"d0", "d3"}
    # Triage: below every document that stands apart from the corpus
    assert max(row["severity"] for row in copies) < min(row["severity"] for row in others)
    assert max(row["severity"] for row in copies) < 30


@pytest.mark.parametrize(
    ("sources", "kind", "members"),
    [
        (["s0", "s1"], "flood", 2),
        (["s0", "s0", "s0"], "flood", 3),
        (["", "", ""], "flood", 3),
        (["s0", "s1", "s2", "s3"], "template", 4),
        (["s0", "s1", "s2"], "versions", 3),
    ],
    ids=["two", "one source", "sources unknown", "boilerplate", "ingested again"],
)
def test_what_is_no_flood_stays_out_of_the_queue(
    wh: Warehouse, me: Principal, sources: list[str], kind: str, members: int
) -> None:
    recorded = scan(wh, me, sources, kind, members=members)
    assert recorded.copies == 0
    assert queue_page(wh, principal=me).total == 0
    (group,) = list_copy_groups(wh, principal=me)
    assert (group["kind"], group["documents"], group["raised"], group["rule"]) == (kind, members, False, "copies-3x2")


def test_contributors_count_where_sources_do_not(wh: Warehouse, me: Principal) -> None:
    assert scan(wh, me, ["", "", ""], contributors=["eve", "mallory", ""]).copies == 3


def test_a_group_keeps_its_id_while_it_grows(wh: Warehouse, me: Principal) -> None:
    scan(wh, me, ["s0", "s1", "s2"])
    (before,) = list_copy_groups(wh, principal=me)
    recorded = scan(wh, me, ["s0", "s1", "s2", "s3"], members=4)
    (now,) = list_copy_groups(wh, principal=me)
    assert (now["group_id"], now["documents"]) == (before["group_id"], 4)
    assert now["group_id"].startswith("g-")
    assert (recorded.copies, recorded.new_copies) == (4, 1)


def test_a_tenant_sees_its_own_copies(wh: Warehouse, me: Principal) -> None:
    scan(wh, me, ["s0", "s1", "s2"], tenants=["a", "a", "b"])
    (group,) = list_copy_groups(wh, principal=Principal("ann", "viewer", frozenset({"a"})))
    assert (group["documents"], group["members"], group["sources"], group["exact"]) == (2, ["d0", "d1"], 2, None)
    assert list_copy_groups(wh, principal=Principal("eve", "viewer", frozenset({"z"}))) == []


@pytest.mark.parametrize(
    "group",
    [
        CopyRecord("flood", [0], 1, 1.0, 0.0),
        CopyRecord("flood", [0, 9], 2, 1.0, 0.0),
        CopyRecord("flood", [0, 0], 2, 1.0, 0.0),
        CopyRecord("other", [0, 1], 2, 1.0, 0.0),
        CopyRecord("flood", [0, 1], 2, 1.5, 0.0),
    ],
)
def test_what_does_not_fit_is_refused(wh: Warehouse, me: Principal, group: CopyRecord) -> None:
    rows = RecordBatchColumns(id=["a", "b"], text=["a", "b"])
    snapshot = str(ingest(wh, "c", [rows], principal=me).snapshot)
    versions = load_snapshot(wh, snapshot, principal=me).version_ids
    with pytest.raises(InputError):
        record_scan(wh, dataclasses.replace(scan_of(snapshot, versions, set()), copies=[group]), principal=me)


def test_a_large_group_does_not_fill_the_queue(wh: Warehouse, me: Principal) -> None:
    recorded = scan(wh, me, [f"s{n}" for n in range(40)], members=40)
    assert (recorded.copies, list_copy_groups(wh, principal=me)[0]["documents"]) == (20, 40)
    again = scan(wh, me, [f"s{n}" for n in range(41)], members=41)
    assert (again.copies, again.new_copies) == (20, 0)


def test_members_without_an_alert_wait_with_those_that_have_one(wh: Warehouse, me: Principal) -> None:
    ensure_corpus(wh, "c", principal=me, admission="after_scan")
    scan(wh, me, [f"s{n}" for n in range(24)], members=23)

    def waiting() -> set[str]:
        with wh.reading() as cursor:
            return {name for _, name in content(cursor, utc_now())["unadmitted"]}

    assert waiting() == {f"d{n}" for n in range(23)}
    for row in queue_page(wh, principal=me, filters=QueueFilter(kinds=["copies"])).rows:
        assert len(waiting()) >= 3
        decide(wh, row["alert_id"], row["version"], principal=me, verdict="keep", reason="benign")
    assert waiting() == set()
