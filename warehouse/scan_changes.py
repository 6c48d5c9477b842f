"""What a scan changed since the one before it, and why: compared in the transaction that stores it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import duckdb

from warehouse import sql
from warehouse.database import Warehouse
from warehouse.principal import Principal
from warehouse.records import ScanRecord
from warehouse.scan_reading import get_scan

MOVED_KEPT = 50
"""Documents whose density moved most that are stored per scan and tenant; all of them are counted."""


@dataclass(frozen=True, slots=True)
class ScanChanges:
    """What changed between two scans of one corpus by the same detector, parameters and encoder.

    Attributes
    ----------
    previous : scan it is compared with; None where it is the first of its kind.
    documents, added, removed, changed : documents of the scan, and how many are new, gone, or have another text.
    new_alerts, alerts_gone : documents flagged now and not before, and the other way round.
    moved : documents of the same text whose set of neighbours changed.
    rows : new alerts, alerts gone, and the documents whose density moved most, strongest first. Each has kind
        (new_alert, alert_gone, moved), document_id, reason (new_document, document_gone, text_changed,
        neighbours_changed, code_changed, corpus_changed), joined and left_out (ids of neighbours), score, score_before,
        density, density_before.
    search : how the neighbours were found: mode, searched rows, share redone in full precision, blocks reused. Empty
        for a caller of some tenants.
    """

    scan: str
    previous: str | None
    documents: int
    added: int
    removed: int
    changed: int
    new_alerts: int
    alerts_gone: int
    moved: int
    rows: list[dict[str, Any]] = field(default_factory=list)
    search: dict[str, Any] = field(default_factory=dict)


def compare(cursor: duckdb.DuckDBPyConnection, scan_id: str, corpus_id: str, scan: ScanRecord) -> None:
    """Store what a scan changed, within the write transaction that stores it."""
    previous = sql.row(
        cursor,
        "scan_previous",
        scan_id=scan_id,
        corpus_id=corpus_id,
        detector=scan.detector,
        config_key=scan.config_key,
        encoder_key=scan.encoder,
    )
    if previous is None:
        sql.run(cursor, "change_first", scan_id=scan_id).complete()
        return
    parameters: dict[str, Any] = {
        "scan_id": scan_id,
        "previous_id": previous["scan_id"],
        "same_code": previous["code_version"] == scan.code_version,
        "most": MOVED_KEPT,
    }
    for step in ("change_pairs", "change_near_now", "change_near_before", "change_moved", "change_counts"):
        sql.run(cursor, step, **parameters).complete()
    sql.run(cursor, "change_rows", **parameters).complete()
    for name in ("compared", "near_now", "near_before", "moved"):
        cursor.execute(f"DROP TABLE temp.{name}").complete()


def read_changes(
    cursor: duckdb.DuckDBPyConnection, scan_id: str, principal: Principal, most: int, summary: str = "{}"
) -> ScanChanges:
    """Changes of a scan as the caller may see them; all zero for one that was stored before changes were."""
    counts = sql.row(cursor, "scan_comparison", scan_id=scan_id, **principal.scope())
    if counts is None:
        return ScanChanges(scan_id, None, 0, 0, 0, 0, 0, 0, 0)
    rows = sql.rows(cursor, "scan_changes", scan_id=scan_id, most=most, **principal.scope())
    search = dict(json.loads(summary).get("search", {})) if principal.tenants is None else {}
    return ScanChanges(scan_id, rows=rows, search=search, **counts)


def scan_changes(wh: Warehouse, scan: str, principal: Principal, *, most: int = 100) -> ScanChanges:
    """What a scan changed since the previous one of the same corpus, detector, parameters and encoder.

    Parameters
    ----------
    most : rows of each kind; the counts are of all.

    Raises
    ------
    InputError
        unknown, or of documents the caller may not see.
    """
    entry = get_scan(wh, scan, principal=principal)
    with wh.reading() as cursor:
        return read_changes(cursor, str(entry["scan_id"]), principal, most, str(entry["summary"]))


def plain(found: ScanChanges) -> dict[str, Any]:
    """The changes as JSON values."""
    return asdict(found)
