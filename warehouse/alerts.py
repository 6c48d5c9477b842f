"""The queue and one alert in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from ragsieve_core.errors import InputError, nearest
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.ids import utc_now
from warehouse.principal import Principal
from warehouse.records import Page

SORTS: dict[str, str] = {
    "severity": "severity",
    "score": "score",
    "detector": "detector",
    "document_id": "document_id",
    "source_uri": "source_uri",
    "contributor": "contributor",
    "tenant": "tenant",
    "campaign_size": "campaign_size",
    "retrieved": "retrieved",
    "in_context": "in_context",
    "evidence": "evidence",
    "opened_at": "opened_at",
    "status": "status",
    "holder": "holder",
    "verdict": "verdict",
    "state_at": "state_at",
}


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """What the queue shows; empty matches all.

    Attributes
    ----------
    statuses, detectors, verdicts, tenants : any of these.
    kinds : any of isolation, integrity, copies (see the table alert_kinds).
    corpus : name or id.
    contributor, source_uri, holder : exactly this.
    search : part of the document id, case ignored.
    campaign : connected group.
    scan : alerts with evidence from this scan.
    min_score : at least this.
    """

    statuses: Sequence[str] = ()
    detectors: Sequence[str] = ()
    verdicts: Sequence[str] = ()
    tenants: Sequence[str] = ()
    corpus: str = ""
    contributor: str = ""
    source_uri: str = ""
    holder: str = ""
    search: str = ""
    campaign: str = ""
    scan: str = ""
    min_score: float | None = None
    kinds: Sequence[str] = ()

    def parameters(self) -> dict[str, Any]:
        """Query parameters; list filters as text lists."""
        return {
            "statuses": list(self.statuses) or [""],
            "detectors": list(self.detectors) or [""],
            "verdicts": list(self.verdicts) or [""],
            "only_tenants": list(self.tenants) or [""],
            "corpus": self.corpus,
            "contributor": self.contributor,
            "source_uri": self.source_uri,
            "holder": self.holder,
            "search": self.search.casefold(),
            "campaign": self.campaign,
            "scan_id": self.scan,
            "min_score": self.min_score,
            "kinds": list(self.kinds) or [""],
        }


@dataclass(frozen=True, slots=True)
class AlertDetail:
    """Everything known of one alert.

    Attributes
    ----------
    alert : its row of alert_current with corpus name.
    document : the version it was first flagged in, with text and provenance.
    scores : scan rows of this text, latest first, with floor, density and threshold of their scans.
    neighbors : neighbours of its latest scan row, nearest first.
    evidence : candidate rows of this text with their details and events, latest first (at most 50).
    reach : events that ranked this text, latest first (at most 200).
    reach_totals : events, contexts, tenants, best rank over all of them.
    versions : all versions of the document, latest first.
    history : alert_events, oldest first, reach rows left out.
    """

    alert: dict[str, Any]
    document: dict[str, Any]
    scores: list[dict[str, Any]] = field(default_factory=list)
    neighbors: list[dict[str, Any]] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    reach: list[dict[str, Any]] = field(default_factory=list)
    reach_totals: dict[str, Any] = field(default_factory=dict)
    versions: list[dict[str, Any]] = field(default_factory=list)
    history: list[dict[str, Any]] = field(default_factory=list)


_NO_FILTER = QueueFilter()


def queue_page(
    wh: Warehouse,
    *,
    principal: Principal,
    filters: QueueFilter = _NO_FILTER,
    sort: str = "severity",
    descending: bool = True,
    limit: int = 50,
    offset: int = 0,
) -> Page:
    """One page of the queue, filtered, sorted and cut in DuckDB; ties by alert id.

    Raises
    ------
    InputError
        an unknown sort column (named with the nearest one), or a page outside 1 to 500 rows.
    """
    if sort not in SORTS:
        raise InputError(f"no column {sort!r} to sort by", where="sort", expected=nearest(sort, SORTS))
    if not 1 <= limit <= 500 or offset < 0:
        raise InputError(f"a page of {limit} rows from {offset}", where="limit", expected="1 to 500 rows from 0 on")
    order = f"{SORTS[sort]} {'DESC' if descending else 'ASC'} NULLS LAST, alert_id"
    now = utc_now()
    parameters = {**filters.parameters(), **principal.scope(), "now": now}
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "queue", order_by=order, limit=limit, offset=offset, **parameters)
        total = sql.row(cursor, "queue_count", **parameters)
    for row in rows:
        row["age_hours"] = (now - row["opened_at"]).total_seconds() / 3600
    return Page(rows, int(total["total"]) if total else 0, limit, offset)


def queue_ids(
    wh: Warehouse, *, principal: Principal, filters: QueueFilter = _NO_FILTER, limit: int = 100_000
) -> list[str]:
    """Alert ids under a filter, for a bulk job; ordered by id."""
    with wh.reading() as cursor:
        parameters = {**filters.parameters(), **principal.scope(), "now": utc_now()}
        found = sql.rows(cursor, "queue", order_by="alert_id", limit=limit, offset=0, **parameters)
    return [str(row["alert_id"]) for row in found]


def alert_row(cursor: duckdb.DuckDBPyConnection, alert: str, principal: Principal) -> dict[str, Any]:
    """Current state of one alert.

    Raises
    ------
    InputError
        unknown, or of another tenant.
    """
    found = sql.row(cursor, "alert", alert_id=alert, **principal.scope())
    if found is None:
        raise InputError(f"no alert {alert!r}", where="alert", do="copy the id from the queue")
    return found


def alert_detail(wh: Warehouse, alert: str, *, principal: Principal) -> AlertDetail:
    """Evidence, neighbours, reach, provenance, versions and history of one alert; see :class:`AlertDetail`."""
    scope = principal.scope()
    with wh.reading() as cursor:
        row = alert_row(cursor, alert, principal)
        same = {
            "corpus_id": row["corpus_id"],
            "document_id": row["document_id"],
            "content_hash": row["content_hash"],
            **scope,
        }
        document = sql.row(cursor, "version", version_id=row["version_id"], **scope)
        scores = sql.rows(cursor, "alert_scores", **same)
        neighbors = (
            sql.rows(
                cursor,
                "scan_neighbors",
                scan_id=scores[0]["scan_id"],
                version_ids=[scores[0]["version_id"]],
                **scope,
            )
            if scores
            else []
        )
        return AlertDetail(
            alert=row,
            document=document or {},
            scores=scores,
            neighbors=neighbors,
            evidence=sql.rows(cursor, "alert_candidates", **same),
            reach=sql.rows(cursor, "alert_reach", **same),
            reach_totals=sql.row(cursor, "alert_reach_totals", **same) or {},
            versions=sql.rows(cursor, "document_history", **same),
            history=sql.rows(cursor, "alert_history", alert_id=alert),
        )
