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
from warehouse.ids import canonical_json, derived_id, new_id, utc_now
from warehouse.opening import Fed, feed
from warehouse.principal import Principal
from warehouse.records import Floats, Integers, NeighborColumns, Page, ScanRecord
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
    _check(scan)
    with wh.reading() as cursor:
        corpus_id = str(snapshot_row(cursor, scan.snapshot, principal)["corpus_id"])
        members = member_versions(cursor, scan.snapshot, principal)
    versions = np.asarray(scan.version_ids, dtype=np.int64)
    if not np.isin(versions, members).all():
        raise InputError("scores of versions that are no members", where=f"snapshot {scan.snapshot}")
    segment_id = ticket.segment_id if ticket else None
    scan_id = new_id("scan")
    scores, neighbors = _score_table(scan_id, scan, versions), _neighbor_table(scan_id, scan, versions)
    evidence = _evidence(scan_id, scan, versions)
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
        values = _scan_values(scan_id, key, corpus_id, scan, principal, segment_id)
        sql.insert(cursor, "scans", pa.Table.from_pylist([values | {"flagged": flagged}], schema=_SCAN_SCHEMA))
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


_SCAN_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("scan_id", "scan_key", "corpus_id", "snapshot_id", "detector", "rule")),
        *((name, pa.string()) for name in ("config", "config_key", "encoder_key", "model_versions", "code_version")),
        ("threshold", pa.float64()),
        *((name, pa.string()) for name in ("status", "state")),
        ("documents", pa.int64()),
        ("flagged", pa.int64()),
        ("summary", pa.string()),
        ("started_at", pa.timestamp("us")),
        ("finished_at", pa.timestamp("us")),
        ("seconds", pa.float64()),
        *((name, pa.string()) for name in ("error", "actor", "segment_id")),
    ]
)


def _scan_values(
    scan_id: str, key: str, corpus_id: str, scan: ScanRecord, principal: Principal, segment_id: str | None
) -> dict[str, object]:
    return {
        "scan_id": scan_id,
        "scan_key": key,
        "corpus_id": corpus_id,
        "snapshot_id": scan.snapshot,
        "detector": scan.detector,
        "rule": scan.rule,
        "config": canonical_json(dict(scan.config)),
        "config_key": scan.config_key,
        "encoder_key": scan.encoder,
        "model_versions": canonical_json(dict(scan.model_versions)),
        "code_version": scan.code_version,
        "threshold": scan.threshold,
        "status": "finished",
        "state": scan.state,
        "documents": len(scan.version_ids),
        "summary": canonical_json(dict(scan.summary)),
        "started_at": scan.started_at,
        "finished_at": utc_now(),
        "seconds": scan.seconds,
        "error": None,
        "actor": principal.identity,
        "segment_id": segment_id,
    }


_FLOATS = ("floor", "density", "tail_probability", "integrity", "topology_score")


def _check(scan: ScanRecord) -> None:
    count = len(scan.version_ids)
    arrays: dict[str, Any] = {name: getattr(scan, name) for name in _FLOATS}
    arrays |= {name: getattr(scan, name) for name in ("eligible_neighbors", "score", "flagged", "campaign", "detail")}
    for name, values in arrays.items():
        if values is not None and len(values) != count:
            raise InputError(f"{len(values)} values for {count} documents", where=f"scan field {name}")
    if len(np.unique(np.asarray(scan.version_ids))) != count:
        raise InputError("a version is scored twice", where="scan field version_ids")
    if not np.isfinite(np.asarray(scan.score, dtype=np.float64)).all():
        raise InputError("a score is not finite", where="scan field score")
    if scan.neighbors is not None and scan.neighbors.position.shape[0] != count:
        raise InputError(f"{scan.neighbors.position.shape[0]} rows for {count} documents", where="scan neighbours")


def _score_table(scan_id: str, scan: ScanRecord, versions: Integers) -> pa.Table:
    count = len(versions)
    columns: dict[str, Any] = {
        "scan_id": pa.array([scan_id] * count, pa.string()),
        "version_id": pa.array(versions, pa.int64()),
        "score": pa.array(np.asarray(scan.score, dtype=np.float64)),
        "flagged": pa.array(np.asarray(scan.flagged, dtype=bool)),
    }
    for name in _FLOATS:
        values: Floats | None = getattr(scan, name)
        if values is not None:
            columns[name] = pa.array(np.asarray(values, dtype=np.float64))
    if scan.eligible_neighbors is not None:
        columns["eligible_neighbors"] = pa.array(np.asarray(scan.eligible_neighbors, dtype=np.int32))
    if scan.campaign is not None:
        # A number below zero means "in no group".
        numbers = np.asarray(scan.campaign, dtype=np.int32)
        columns["campaign"] = pa.array(numbers, mask=numbers < 0)
    if scan.detail is not None:
        columns["detail"] = pa.array(scan.detail, pa.string())
    return pa.table(columns)


def _neighbor_table(scan_id: str, scan: ScanRecord, versions: Integers) -> pa.Table | None:
    given: NeighborColumns | None = scan.neighbors
    if given is None:
        return None
    rows, columns = np.nonzero(np.asarray(given.position) >= 0)
    retained = np.asarray(given.retained)[rows, columns]
    names = np.array(["", *given.reasons], dtype=object)
    codes = np.zeros(len(rows), dtype=np.int64)
    if given.reason is not None:
        codes = np.where(retained, 0, np.asarray(given.reason)[rows, columns] + 1)
    return pa.table(
        {
            "scan_id": pa.array([scan_id] * len(rows), pa.string()),
            "version_id": pa.array(versions[rows]),
            "position": pa.array((columns + 1).astype(np.int32)),
            "neighbor_id": pa.array(versions[np.asarray(given.position)[rows, columns]]),
            "cosine": pa.array(np.asarray(given.cosine, dtype=np.float64)[rows, columns]),
            "jaccard": pa.array(np.asarray(given.jaccard, dtype=np.float64)[rows, columns]),
            "retained": pa.array(retained),
            "reason": pa.array(names[codes], pa.string()),
        }
    )


def _evidence(scan_id: str, scan: ScanRecord, versions: Integers) -> pa.Table:
    chosen = np.flatnonzero(scan.flagged)
    groups = np.full(len(chosen), -1) if scan.campaign is None else np.asarray(scan.campaign)[chosen]
    sizes: dict[int, int] = {}
    if scan.campaign is not None:
        numbers, counts = np.unique(np.asarray(scan.campaign), return_counts=True)
        sizes = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
    return pa.table(
        {
            "version_id": pa.array(versions[chosen]),
            "score": pa.array(np.asarray(scan.score, dtype=np.float64)[chosen]),
            "scan_id": pa.array([scan_id] * len(chosen), pa.string()),
            "event_id": pa.array([None] * len(chosen), pa.string()),
            "campaign": pa.array([f"{scan_id}:{n}" if n >= 0 else None for n in groups.tolist()], pa.string()),
            "campaign_size": pa.array([sizes[n] if n >= 0 else None for n in groups.tolist()], pa.int32()),
        }
    )


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
    values = _scan_values(scan_id, key, str(corpus["corpus_id"]), record, principal, None)
    values |= {"status": "failed", "state": "failed", "flagged": 0, "error": error[:2000]}

    def work(cursor: duckdb.DuckDBPyConnection) -> str:
        sql.insert(cursor, "scans", pa.Table.from_pylist([values], schema=_SCAN_SCHEMA))
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
