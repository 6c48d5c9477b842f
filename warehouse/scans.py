"""Ended scans: stored whole in one transaction with the alerts they open, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.copies import COPY_RULE
from warehouse import audit, publish, sql
from warehouse.alert_state import refresh_alerts
from warehouse.campaigns import check_campaigns, record_campaigns
from warehouse.copies import DETECTOR as COPIES
from warehouse.copies import check_copies, record_copies
from warehouse.database import Warehouse
from warehouse.ids import new_id, utc_now
from warehouse.opening import Fed, feed
from warehouse.principal import Principal
from warehouse.realerting import reopen_changed
from warehouse.records import ScanRecord
from warehouse.scan_changes import ScanChanges, compare, plain, read_changes, scan_changes
from warehouse.scan_columns import (
    SCAN_SCHEMA,
    check_scan,
    evidence_table,
    neighbor_table,
    scan_values,
    score_table,
)
from warehouse.scan_reading import (
    SORTS,
    find_scan,
    get_scan,
    list_scans,
    scan_key,
    scan_neighbors,
    scan_scores,
    score_page,
)
from warehouse.snapshots import member_versions, snapshot_row
from warehouse.tickets import Ticket

__all__ = [
    "SORTS",
    "RecordedScan",
    "ScanChanges",
    "find_scan",
    "get_scan",
    "list_scans",
    "record_failed_scan",
    "record_scan",
    "scan_changes",
    "scan_key",
    "scan_neighbors",
    "scan_scores",
    "score_page",
]

_SHOWN = 20
"""Changes of each kind that the answer to whoever scanned names; all stand in the warehouse."""


@dataclass(frozen=True, slots=True)
class RecordedScan:
    """Result of :func:`record_scan`; ``already`` is True where an equal scan was stored before and is named instead.

    ``copies`` and ``new_copies`` count alerts of copies, which are no part of the others. ``changes`` are the fields of
    :class:`warehouse.scan_changes.ScanChanges`, with the first rows of each kind.
    """

    scan: str
    documents: int
    flagged: int
    alerts: int
    new_alerts: int
    already: bool
    copies: int = 0
    new_copies: int = 0
    changes: Mapping[str, Any] = field(default_factory=dict)


def record_scan(wh: Warehouse, scan: ScanRecord, *, principal: Principal, ticket: Ticket | None = None) -> RecordedScan:
    """Store a finished scan, its scores and neighbours, and open or feed the alerts of what it flagged.

    Raises
    ------
    InputError
        unknown snapshot, arrays of unequal length, a version that is no member, or a score that is not finite.
    """
    principal.require("reviewer", "record a scan")
    check_scan(scan)
    check_campaigns(scan, len(scan.version_ids))
    check_copies(scan, len(scan.version_ids))
    with wh.reading() as cursor:
        corpus_id = str(snapshot_row(cursor, scan.snapshot, principal)["corpus_id"])
        members = member_versions(cursor, scan.snapshot, principal)
    versions = np.asarray(scan.version_ids, dtype=np.int64)
    if not np.isin(versions, members).all():
        raise InputError("scores of versions that are no members", where=f"snapshot {scan.snapshot}")
    segment_id = ticket.segment_id if ticket else None
    scan_id = new_id("scan")
    scores, neighbors = score_table(scan_id, scan, versions), neighbor_table(scan_id, scan, versions)
    key = scan_key(scan.snapshot, scan.detector, scan.config_key, scan.encoder, scan.model_versions, scan.code_version)

    def work(cursor: duckdb.DuckDBPyConnection) -> RecordedScan:
        def done(result: RecordedScan) -> RecordedScan:
            if ticket is not None:
                ticket.stamp(cursor, principal.identity, "taken", asdict(result))
            return result

        known = sql.first(
            cursor,
            "SELECT scan_id, documents, flagged, summary FROM scans WHERE scan_key = ? AND status = 'finished'",
            [key],
        )
        if known is not None:
            return done(_stored_before(cursor, known, principal))
        flagged = int(np.count_nonzero(scan.flagged))
        values = scan_values(scan_id, key, corpus_id, scan, principal, segment_id)
        sql.insert(cursor, "scans", pa.Table.from_pylist([values | {"flagged": flagged}], schema=SCAN_SCHEMA))
        _insert_scores(cursor, scores)
        if neighbors is not None:
            sql.insert(cursor, "scan_neighbors", neighbors)
        named = record_campaigns(cursor, scan_id, corpus_id, scan, versions)
        copied = record_copies(cursor, scan_id, corpus_id, scan, versions)
        before = wh.history_numbers()
        evidence = evidence_table(scan_id, scan, versions, named)
        fed = _feed(wh, cursor, evidence, scan_id, (scan.detector, scan.threshold, scan.rule), principal)
        copies = _feed(wh, cursor, copied, scan_id, (COPIES, COPY_RULE.least_overlap, COPY_RULE.name), principal)
        refresh_alerts(cursor, before)
        compare(cursor, scan_id, corpus_id, scan)
        audit.append(
            cursor,
            principal.identity,
            "scanned",
            scan_id,
            {
                "snapshot": scan.snapshot,
                "detector": scan.detector,
                "rule": scan.rule,
                "config_key": scan.config_key,
                "documents": len(versions),
                "flagged": flagged,
                "alerts": fed.alerts,
                "new_alerts": fed.opened,
                "copies": copies.alerts,
                "segment": segment_id,
            },
        )
        found = plain(read_changes(cursor, scan_id, principal, _SHOWN, str(values["summary"])))
        counts = (fed.alerts, fed.opened, False, copies.alerts, copies.opened)
        return done(RecordedScan(scan_id, len(versions), flagged, *counts, found))

    recorded = wh.run_transaction(work)
    reopen_changed(wh, principal=principal)
    publish.refresh_guarded(wh, corpus_id, principal=principal)
    return recorded


def _stored_before(cursor: duckdb.DuckDBPyConnection, known: tuple[Any, ...], principal: Principal) -> RecordedScan:
    scan_id, documents, flagged, summary = known
    fed = sql.rows(cursor, "scan_alerts", scan_id=scan_id)
    counts = {row["detector"]: int(row["alerts"]) for row in fed}
    copies = counts.pop(COPIES, 0)
    changes = plain(read_changes(cursor, str(scan_id), principal, _SHOWN, str(summary)))
    return RecordedScan(str(scan_id), int(documents), int(flagged), sum(counts.values()), 0, True, copies, 0, changes)


def _feed(
    wh: Warehouse,
    cursor: duckdb.DuckDBPyConnection,
    evidence: pa.Table,
    scan_id: str,
    rule: tuple[str, float, str],
    principal: Principal,
) -> Fed:
    """Open or feed alerts under (detector, threshold, rule), and note what kinds of evidence they rest on."""
    detector, threshold, name = rule
    fed = feed(wh, cursor, evidence, detector, threshold, name, principal)
    if evidence.num_rows:
        sql.run(cursor, "alert_kinds", scan_id=scan_id, now=utc_now()).complete()
    return fed


def _insert_scores(cursor: duckdb.DuckDBPyConnection, scores: pa.Table) -> None:
    cursor.register("incoming", scores)
    try:
        cursor.execute(
            "INSERT INTO scan_scores BY NAME SELECT incoming.*, versions.document_id, versions.tenant "
            "FROM incoming JOIN document_versions AS versions USING (version_id) ORDER BY version_id"
        ).complete()
    finally:
        cursor.unregister("incoming")


def record_failed_scan(
    wh: Warehouse,
    *,
    snapshot: str,
    detector: str,
    rule: str,
    config: Mapping[str, object],
    config_key: str,
    threshold: float,
    code_version: str,
    started_at: datetime,
    seconds: float,
    error: str,
    principal: Principal,
    encoder: str | None = None,
) -> str:
    """Store that a scan failed and why; nothing else changes. Returns its id."""
    principal.require("reviewer", "record a scan")
    with wh.reading() as cursor:
        corpus = snapshot_row(cursor, snapshot, principal)
    empty = np.empty(0)
    record = ScanRecord(
        str(corpus["corpus"]),
        snapshot,
        detector,
        rule,
        config,
        config_key,
        threshold,
        code_version,
        started_at,
        seconds,
        empty.astype(np.int64),
        empty,
        empty.astype(bool),
        encoder,
    )
    scan_id = new_id("scan")
    key = scan_key(snapshot, detector, config_key, encoder, {}, code_version)
    values = scan_values(scan_id, key, str(corpus["corpus_id"]), record, principal, None)
    values |= {"status": "failed", "state": "failed", "flagged": 0, "error": error[:2000]}

    def work(cursor: duckdb.DuckDBPyConnection) -> str:
        sql.insert(cursor, "scans", pa.Table.from_pylist([values], schema=SCAN_SCHEMA))
        audit.append(cursor, principal.identity, "scan_failed", scan_id, {"snapshot": snapshot, "detector": detector})
        return scan_id

    return wh.run_transaction(work)
