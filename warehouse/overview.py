"""Counts for the first screen."""

from __future__ import annotations

from typing import Any

from warehouse import sql
from warehouse.database import Warehouse
from warehouse.principal import Principal


def overview(wh: Warehouse, *, principal: Principal) -> dict[str, Any]:
    """Counts over what the caller may see, alerts by detector and status (``alerts_by``), events by state."""
    scope = principal.scope()
    with wh.reading() as cursor:
        counts = sql.row(cursor, "overview", **scope) or {}
        corpora = sql.rows(cursor, "corpora", **scope)
        counts |= {"corpora": len(corpora), "documents": sum(row["documents"] for row in corpora)}
        counts["alerts_by"] = sql.rows(cursor, "overview_alerts", **scope)
        counts["states"] = sql.rows(cursor, "overview_states", **scope)
    return counts
