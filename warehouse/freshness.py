"""How much of a corpus no scan has seen yet, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from warehouse import sql
from warehouse.database import Warehouse
from warehouse.ids import utc_now
from warehouse.principal import Principal


@dataclass(frozen=True, slots=True)
class Freshness:
    """Scanned or not, of one corpus, over the documents the caller may see.

    Attributes
    ----------
    documents : current ones.
    unscanned : those whose text no finished RSG scan has scored.
    oldest_at : when the oldest of these was ingested, UTC; None without one.
    oldest_hours : its age in hours, >= 0; None without one.
    last_scan_at : end of the corpus's last finished RSG scan, UTC; None before the first.
    """

    corpus_id: str
    corpus: str
    documents: int
    unscanned: int
    oldest_at: datetime | None
    oldest_hours: float | None
    last_scan_at: datetime | None


def corpus_freshness(wh: Warehouse, *, principal: Principal) -> list[Freshness]:
    """One entry per corpus that holds a current document of the caller, by name."""
    now = utc_now()
    with wh.reading() as cursor:
        found = sql.rows(cursor, "freshness", **principal.scope())
    ages = [
        max(0.0, (now - row["oldest_at"]).total_seconds() / 3600) if row["oldest_at"] is not None else None
        for row in found
    ]
    return [Freshness(oldest_hours=age, **row) for row, age in zip(found, ages, strict=True)]
