"""Stored scans: which there are, their scores page by page, and the neighbours of some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from ragsieve_core.errors import InputError, nearest
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.ids import canonical_json, derived_id
from warehouse.principal import Principal
from warehouse.records import Page

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
