"""Campaigns: groups of documents that alert themselves, under ids that outlive a scan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from ragsieve_core.errors import InputError, nearest
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.facts import ensure_fact
from warehouse.ids import utc_now
from warehouse.lasting_ids import lasting_ids
from warehouse.principal import Principal
from warehouse.records import CampaignRecord, Integers, ScanRecord

_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("scan_id", "campaign_id", "corpus_id")),
        *((name, pa.int32()) for name in ("number", "documents")),
        *((name, pa.float64()) for name in ("evidence", "expected_number")),
        ("shared_words", pa.list_(pa.string())),
        ("context", pa.list_(pa.int64())),
        ("recorded_at", pa.timestamp("us")),
    ]
)


@dataclass(frozen=True, slots=True)
class CampaignDetail:
    """One campaign as it was last seen.

    Attributes
    ----------
    campaign : its row of :func:`list_campaigns`.
    members : documents that alert themselves, highest score first, with provenance, alert and status.
    context : documents near a member that do not alert; never members, and no decision on the campaign is about them.
    contributors, batches, sources : (name, members) pairs, most first; members without one are not counted.
    """

    campaign: dict[str, Any]
    members: list[dict[str, Any]] = field(default_factory=list)
    context: list[dict[str, Any]] = field(default_factory=list)
    contributors: list[tuple[str, int]] = field(default_factory=list)
    batches: list[tuple[str, int]] = field(default_factory=list)
    sources: list[tuple[str, int]] = field(default_factory=list)


def check_campaigns(scan: ScanRecord, count: int) -> None:
    """Raise InputError for a member that does not alert, a number without members, or context outside the scan."""
    if scan.campaign is None:
        if scan.campaigns:
            raise InputError("campaigns without their members", where="scan field campaign")
        return
    numbers = np.asarray(scan.campaign)
    if (~np.asarray(scan.flagged, dtype=bool)[numbers >= 0]).any():
        raise InputError("a campaign member that does not alert", where="scan field campaign", expected="flagged ones")
    present = set(numbers[numbers >= 0].tolist())
    for one in scan.campaigns:
        if one.number not in present or not all(0 <= row < count for row in one.context):
            raise InputError(f"campaign {one.number} does not fit the scan", where="scan field campaigns")


def record_campaigns(
    cursor: duckdb.DuckDBPyConnection, scan_id: str, corpus_id: str, scan: ScanRecord, versions: Integers
) -> dict[int, tuple[str, int]]:
    """Store the campaigns of a scan whose scores are stored, within its transaction; number -> id and size."""
    if scan.campaign is None or not (np.asarray(scan.campaign) >= 0).any():
        return {}
    members: dict[int, list[str]] = {}
    for row in sql.rows(cursor, "campaign_hashes", scan_id=scan_id):
        members.setdefault(int(row["campaign"]), []).append(str(row["content_hash"]))
    earlier = sql.rows(cursor, "campaign_earlier", corpus_id=corpus_id, before=scan_id)
    ids = lasting_ids(
        ensure_fact(cursor, "query_key"),
        corpus_id,
        list(members.values()),
        earlier,
        name="campaign_id",
        member="content_hash",
        prefix="c-",
    )
    named = {number: (name, len(held)) for (number, held), name in zip(members.items(), ids, strict=True)}
    known = {one.number: one for one in scan.campaigns}
    now = utc_now()
    rows = []
    for number, (name, size) in named.items():
        one = known.get(number, CampaignRecord(number))
        rows.append(
            {
                "scan_id": scan_id,
                "campaign_id": name,
                "corpus_id": corpus_id,
                "number": number,
                "documents": size,
                "evidence": one.evidence,
                "expected_number": one.expected_number,
                "shared_words": list(one.shared_words),
                "context": [int(versions[row]) for row in one.context],
                "recorded_at": now,
            }
        )
    sql.insert(cursor, "campaigns", pa.Table.from_pylist(rows, schema=_SCHEMA))
    return named


def list_campaigns(wh: Warehouse, *, principal: Principal, corpus: str = "") -> list[dict[str, Any]]:
    """Campaigns as they were last seen, those of the corpus's last scan first, then strongest first.

    Rows: campaign_id, corpus, scan_id, documents (members), contributors and batches (how many), evidence,
    expected_number, shared_words, first_seen, last_seen, scans, in_last_scan, open_alerts. A caller of some tenants
    sees those with a member of theirs.
    """
    with wh.reading() as cursor:
        return sql.rows(cursor, "campaigns", corpus=corpus, campaign="", **principal.scope())


def campaign_detail(wh: Warehouse, campaign: str, *, principal: Principal) -> CampaignDetail:
    """Members, context, contributors, batches and sources of one campaign.

    Raises
    ------
    InputError
        unknown, or without a member the caller may see; names the nearest one.
    """
    with wh.reading() as cursor:
        found = sql.rows(cursor, "campaigns", corpus="", campaign=campaign, **principal.scope())
        if not found:
            every = sql.rows(cursor, "campaigns", corpus="", campaign="", **principal.scope())
            known = [str(row["campaign_id"]) for row in every]
            raise InputError(
                f"no campaign {campaign!r}",
                where="campaign",
                expected=nearest(campaign, known) if known else "a scan that found one",
            )
        rows = sql.rows(
            cursor, "campaign_documents", scan_id=found[0]["scan_id"], campaign=campaign, **principal.scope()
        )
    members = [row for row in rows if row["member"]]
    return CampaignDetail(
        found[0],
        members,
        [row for row in rows if not row["member"]],
        *(_counted(members, name) for name in ("contributor", "batch", "source_uri")),
    )


def _counted(rows: list[dict[str, Any]], name: str) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for row in rows:
        if row[name]:
            counts[str(row[name])] = counts.get(str(row[name]), 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
