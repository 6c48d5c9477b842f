"""Histories as whole Arrow tables, to be written to files for other tools."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from warehouse import sql
from warehouse.database import Warehouse
from warehouse.principal import Principal


def decisions(wh: Warehouse, *, principal: Principal, corpus: str = "") -> pa.Table:
    """Every verdict, one row each, oldest first; ``payload`` holds what it replaced and what its author saw.

    Parameters
    ----------
    corpus : name or id; empty for all.
    """
    with wh.reading() as cursor:
        return sql.table(cursor, "export_decisions", corpus=corpus, **principal.scope())


def quarantine(wh: Warehouse, *, principal: Principal, corpus: str = "", version: str = "") -> pa.Table:
    """Members of a quarantine version (empty: the one in force), one row each, by corpus and document."""
    with wh.reading() as cursor:
        return sql.table(cursor, "export_quarantine", corpus=corpus, quarantine_id=version, **principal.scope())


def events(wh: Warehouse, *, principal: Principal, corpus: str = "") -> pa.Table:
    """Retrieval events, one row per ranked document as it was ranked, the event's own columns repeated."""
    with wh.reading() as cursor:
        return sql.table(cursor, "export_events", corpus=corpus, **principal.scope())


def inbox_counts(wh: Warehouse) -> dict[str, Any]:
    """Segments ever ``taken`` and ``refused``, by inbox and HTTP together, and ``last_at`` (UTC, None for never)."""
    with wh.reading() as cursor:
        return sql.row(cursor, "inbox_counts") or {"taken": 0, "refused": 0, "last_at": None}
