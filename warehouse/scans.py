"""Ended scans: stored whole in one transaction with the alerts they open, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from ragsieve_core.errors import InputError, nearest
from warehouse import audit, publish, sql
from warehouse.alert_state import refresh_alerts
from warehouse.database import Warehouse
from warehouse.ids import canonical_json, derived_id, new_id
from warehouse.opening import Fed, feed
from warehouse.principal import Principal
from warehouse.realerting import reopen_changed
from warehouse.records import Page, ScanRecord
from warehouse.scan_columns import (
    SCAN_SCHEMA,
    check_scan,
    evidence_table,
    neighbor_table,
    scan_values,
    score_table,
)
from warehouse.snapshots import member_versions, snapshot_row
from warehouse.tickets import Ticket


@dataclass(frozen=True, slots=True)
class RecordedScan:
    """Result of :func:`record_scan`; ``already`` is True where an equal scan was stored before and is named instead."""

    scan: str
    documents: int
    flagged: int
    alerts: int
    new_alerts: int
    already: bool


SORTS: dict[str, str] = {
    "document_id": "scores.document_id",
    "floor": "scores.floor",
    "eligible_neighbors": "scores.eligible_neighbors",
    "density": "scores.density",
    "tail_probability": "scores.tail_probability",
    "integrity": "scores.integrity",
    "topology_score": "scores.topology_score",
    "score": "scores.score",
    "flagged": "scores.flagged",
    "campaign": "scores.campaign",
}


def scan_key(
    snapshot: str, detector: str, config_key: str, encoder: str | None, models: Mapping[str, str], code_version: str
) -> str:
    """Key under which an equal scan is found again."""
    return derived_id(
        "scankey", snapshot, detector, config_key, encoder or "", canonical_json(dict(models)), code_version
    )


def record_scan(wh: Warehouse, scan: ScanRecord, *, principal: Principal, ticket: Ticket | None = None) -> RecordedScan:
    """Store a finished scan, its scores and neighbours, and open or feed the alerts of what it flagged.

    Raises
    ------
    InputError
        unknown snapshot, arrays of unequal length, a version that is no member, or a score that is not finite.
    """
    principal.require("reviewer", "record a scan")
    check_scan(scan)
    with wh.reading() as cursor:
        corpus_id = str(snapshot_row(cursor, scan.snapshot, principal)["corpus_id"])
        members = member_versions(cursor, scan.snapshot, principal)
    versions = np.asarray(scan.version_ids, dtype=np.int64)
    if not np.isin(versions, members).all():
        raise InputError("scores of versions that are no members", where=f"snapshot {scan.snapshot}")
    segment_id = ticket.segment_id if ticket else None
    scan_id = new_id("scan")
    scores, neighbors = score_table(scan_id, scan, versions), neighbor_table(scan_id, scan, versions)
    evidence = evidence_table(scan_id, scan, versions)
    key = scan_key(scan.snapshot, scan.detector, scan.config_key, scan.encoder, scan.model_versions, scan.code_version)

    def work(cursor: duckdb.DuckDBPyConnection) -> RecordedScan:
        def done(result: RecordedScan) -> RecordedScan:
            if ticket is not None:
                ticket.stamp(cursor, principal.identity, "taken", asdict(result))
            return result

        known = sql.first(
            cursor,
            "SELECT scan_id, documents, flagged FROM scans WHERE scan_key = ? AND status = 'finished'",
            [key],
        )
        if known is not None:
            fed_before = sql.first(
                cursor, "SELECT count(DISTINCT alert_id) FROM alert_events WHERE scan_id = ?", [known[0]]
            )
            alerts = int(fed_before[0]) if fed_before else 0
            return done(RecordedScan(str(known[0]), int(known[1]), int(known[2]), alerts, 0, True))
        flagged = int(np.count_nonzero(scan.flagged))
        values = scan_values(scan_id, key, corpus_id, scan, principal, segment_id)
        sql.insert(cursor, "scans", pa.Table.from_pylist([values | {"flagged": flagged}], schema=SCAN_SCHEMA))
        _insert_scores(cursor, scores)
        if neighbors is not None:
            sql.insert(cursor, "scan_neighbors", neighbors)
        before = wh.history_numbers()
        fed: Fed = feed(wh, cursor, evidence, scan.detector, scan.threshold, scan.rule, principal)
        refresh_alerts(cursor, before)
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
                "segment": segment_id,
            },
        )
        return done(RecordedScan(scan_id, len(versions), flagged, fed.alerts, fed.opened, False))

    recorded = wh.run_transaction(work)
    reopen_changed(wh, principal=principal)
    publish.refresh_guarded(wh, corpus_id, principal=principal)
    return recorded


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


def find_scan(
    wh: Warehouse,
    *,
    snapshot: str,
    detector: str,
    config_key: str,
    encoder: str | None,
    code_version: str,
    principal: Principal,
    model_versions: Mapping[str, str] | None = None,
) -> dict[str, Any] | None:
    """Row of a finished scan with exactly these parameters, so that it need not be run again; else None."""
    key = scan_key(snapshot, detector, config_key, encoder, model_versions or {}, code_version)
    found = list_scans(wh, principal=principal, key=key)
    return next((entry for entry in found if entry["status"] == "finished"), None)


def list_scans(
    wh: Warehouse,
    *,
    principal: Principal,
    corpus: str = "",
    key: str = "",
    scan: str = "",
    limit: int = 200,
    offset: int = 0,
) -> list[dict[str, Any]]:
    """Scans, latest first, of snapshots the caller may see; ``corpus`` is a name or id.

    For a caller of some tenants ``documents`` and ``flagged`` count their own documents.
    """
    with wh.reading() as cursor:
        return sql.rows(
            cursor,
            "scans",
            corpus=corpus,
            scan_key=key,
            scan_id=scan,
            limit=limit,
            offset=offset,
            **principal.scope(),
        )


def get_scan(wh: Warehouse, scan: str, *, principal: Principal) -> dict[str, Any]:
    """Row of one scan.

    Raises
    ------
    InputError
        unknown, or of documents the caller may not see.
    """
    found = list_scans(wh, principal=principal, scan=scan)
    if not found:
        raise InputError(f"no scan {scan!r}", where="scan")
    return found[0]


def score_page(
    wh: Warehouse,
    scan: str,
    *,
    principal: Principal,
    sort: str = "score",
    descending: bool = True,
    limit: int = 50,
    offset: int = 0,
    flagged: bool | None = None,
    search: str = "",
) -> Page:
    """One page of a scan's scores with document id, title and tenant, sorted and filtered in DuckDB.

    Parameters
    ----------
    sort : one of :data:`SORTS`.
    flagged : True or False for these alone.
    search : part of a document id, case ignored.
    """
    if sort not in SORTS:
        raise InputError(f"no column {sort!r} to sort by", where="sort", expected=nearest(sort, SORTS))
    order = f"{SORTS[sort]} {'DESC' if descending else 'ASC'} NULLS LAST, scores.version_id"
    parameters = {"scan_id": scan, "flagged": flagged, "search": search.casefold(), **principal.scope()}
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "score_page", order_by=order, limit=limit, offset=offset, **parameters)
        total = sql.row(cursor, "score_count", **parameters)
    return Page(rows, int(total["total"]) if total else 0, limit, offset)


def scan_scores(wh: Warehouse, scan: str, *, principal: Principal) -> pa.Table:
    """All scores of a scan with document ids, by rising version id, for export, evaluation and what-if."""
    with wh.reading() as cursor:
        return sql.table(cursor, "scan_scores", scan_id=scan, **principal.scope())


def scan_neighbors(
    wh: Warehouse, scan: str, version_ids: Sequence[int], *, principal: Principal
) -> list[dict[str, Any]]:
    """Neighbours of some versions in a scan, nearest first; both ends must be visible to the caller."""
    with wh.reading() as cursor:
        return sql.rows(cursor, "scan_neighbors", scan_id=scan, version_ids=list(version_ids), **principal.scope())
