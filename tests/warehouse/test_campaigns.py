"""Campaigns keep their ids while they are the same campaign."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats.records import RecordBatchColumns
from tests.warehouse.builders import scan_of
from warehouse.alerts import QueueFilter, queue_page
from warehouse.campaigns import campaign_detail, list_campaigns
from warehouse.database import Warehouse
from warehouse.erasure import erase_document
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import CampaignRecord
from warehouse.scans import record_scan
from warehouse.snapshots import load_snapshot


def batch(count: int, *, tenant: str = "") -> RecordBatchColumns:
    numbers = range(count)
    return RecordBatchColumns(
        id=[f"d{n}" for n in numbers],
        text=[f"text {n}" for n in numbers],
        tenant=[tenant if n else "other" for n in numbers] if tenant else [""] * count,
        contributor=["eve" if n < 3 else "" for n in numbers],
        batch=[f"b{n % 2}" for n in numbers],
        source_uri=[f"s{n}" for n in numbers],
    )


def scan(
    wh: Warehouse, me: Principal, rows: RecordBatchColumns, members: dict[int, list[int]], corpus: str = "c"
) -> str:
    """Ingest and scan; ``members`` are the flagged documents of each campaign number."""
    snapshot = str(ingest(wh, corpus, [rows], principal=me).snapshot)
    held = load_snapshot(wh, snapshot, principal=me)
    campaign = np.full(len(held), -1)
    for number, names in members.items():
        campaign[[held.ids.index(f"d{name}") for name in names]] = number
    flagged = set(np.flatnonzero(campaign >= 0).tolist())
    context = [row for row in range(len(held)) if row not in flagged][:1]
    known = [CampaignRecord(number, 1.5 + number, 0.01, ("harbour",), context) for number in members]
    record = dataclasses.replace(
        scan_of(snapshot, held.version_ids, flagged), corpus=corpus, campaign=campaign, campaigns=known
    )
    return record_scan(wh, record, principal=me).scan


def test_an_id_outlives_scans_and_joins_the_alerts(wh: Warehouse, me: Principal) -> None:
    first = scan(wh, me, batch(8), {0: [0, 1, 2], 1: [4, 5]})
    before = {row["documents"]: row["campaign_id"] for row in list_campaigns(wh, principal=me)}
    # The numbers change places, one campaign grows and the other loses nobody
    second = scan(wh, me, batch(9), {1: [0, 1, 2, 8], 0: [4, 5]})
    now = {row["documents"]: row for row in list_campaigns(wh, principal=me)}
    assert (now[4]["campaign_id"], now[2]["campaign_id"]) == (before[3], before[2])
    assert all(row["in_last_scan"] and row["scans"] == 2 and row["scan_id"] == second for row in now.values())
    assert first != second
    page = queue_page(wh, principal=me, filters=QueueFilter(campaign=before[3]))
    assert {row["document_id"] for row in page.rows} == {"d0", "d1", "d2", "d8"}
    assert {row["campaign_size"] for row in page.rows} == {4}


def test_a_campaign_that_ends_stays_readable(wh: Warehouse, me: Principal) -> None:
    scan(wh, me, batch(8), {0: [0, 1, 2]})
    scan(wh, me, batch(9), {})
    (row,) = list_campaigns(wh, principal=me)
    assert (row["in_last_scan"], row["documents"], row["open_alerts"]) == (False, 3, 3)
    scan(wh, me, batch(10), {0: [1, 2, 3]})
    (again,) = list_campaigns(wh, principal=me)
    assert (again["campaign_id"], again["in_last_scan"]) == (row["campaign_id"], True)


def test_members_and_context_are_apart(wh: Warehouse, me: Principal) -> None:
    scan(wh, me, batch(8), {0: [0, 1, 2, 3]})
    (row,) = list_campaigns(wh, principal=me, corpus="c")
    found = campaign_detail(wh, row["campaign_id"], principal=me)
    assert {member["document_id"] for member in found.members} == {"d0", "d1", "d2", "d3"}
    assert all(member["alert_id"] and member["status"] == "open" for member in found.members)
    assert [(other["document_id"], other["alert_id"]) for other in found.context] == [("d4", None)]
    assert found.contributors == [("eve", 3)]
    assert found.batches == [("b0", 2), ("b1", 2)]
    assert found.sources == [("s0", 1), ("s1", 1), ("s2", 1), ("s3", 1)]
    assert found.campaign["shared_words"] == ["harbour"]
    with pytest.raises(InputError, match="did you mean"):
        campaign_detail(wh, row["campaign_id"][:-1], principal=me)


def test_equal_texts_of_two_corpora_are_two_campaigns(wh: Warehouse, me: Principal) -> None:
    scan(wh, me, batch(6), {0: [0, 1]})
    scan(wh, me, batch(6), {0: [0, 1]}, corpus="c2")
    found = list_campaigns(wh, principal=me)
    assert len({row["campaign_id"] for row in found}) == 2
    assert all(row["campaign_id"].startswith("c-") and len(row["campaign_id"]) == 18 for row in found)


def test_a_tenant_sees_its_members_alone(wh: Warehouse, me: Principal) -> None:
    scan(wh, me, batch(6, tenant="a"), {0: [0, 1, 2]})
    ann, eve = Principal("ann", "viewer", frozenset({"a"})), Principal("eve", "viewer", frozenset({"z"}))
    (row,) = list_campaigns(wh, principal=ann)
    assert (row["documents"], row["shared_words"], row["evidence"], row["open_alerts"]) == (2, [], None, 2)
    members = campaign_detail(wh, row["campaign_id"], principal=ann).members
    assert {member["document_id"] for member in members} == {"d1", "d2"}
    assert list_campaigns(wh, principal=eve) == []
    with pytest.raises(InputError, match="no campaign"):
        campaign_detail(wh, row["campaign_id"], principal=eve)


def test_the_words_of_an_erased_member_go(wh: Warehouse, me: Principal) -> None:
    scan(wh, me, batch(8), {0: [0, 1, 2], 1: [4, 5]})
    erase_document(wh, "c", "d1", principal=me, reason="ticket")
    words = {row["documents"]: row["shared_words"] for row in list_campaigns(wh, principal=me)}
    assert words == {3: [], 2: ["harbour"]}


@pytest.mark.parametrize(
    "change",
    [
        {"campaign": np.array([0, 0, -1, -1]), "flagged": np.array([True, False, False, False])},
        {"campaign": np.array([0, 0, -1, -1]), "campaigns": [CampaignRecord(1)]},
        {"campaign": np.array([0, 0, -1, -1]), "campaigns": [CampaignRecord(0, context=[4])]},
        {"campaigns": [CampaignRecord(0)]},
    ],
)
def test_what_does_not_fit_is_refused(wh: Warehouse, me: Principal, change: dict) -> None:
    snapshot = str(ingest(wh, "c", [batch(4)], principal=me).snapshot)
    versions = load_snapshot(wh, snapshot, principal=me).version_ids
    with pytest.raises(InputError):
        record_scan(wh, dataclasses.replace(scan_of(snapshot, versions, {0, 1}), **change), principal=me)
