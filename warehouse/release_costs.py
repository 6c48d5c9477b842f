"""What quarantines that were released had cost: hours in force, questions and answers changed, by source and week."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from warehouse import sql
from warehouse.database import Warehouse
from warehouse.principal import Principal

CONTEXT = 5
"""Documents of an answer: a text that was ranked higher than this and left changed its top five."""


def release_costs(wh: Warehouse, *, principal: Principal, corpus: str = "") -> list[dict[str, Any]]:
    """One row per released document the caller may see, latest first.

    Columns: corpus, document_id, tenant, source_uri, contributor, quarantine_id (that released it), entered_at,
    released_at (UTC), hours_in_force, queries_changed (distinct questions whose top five it left while quarantined),
    answers_affected (answers given to them), reason, actor.
    """
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "release_costs", corpus=corpus, context=CONTEXT, **principal.scope())
    for row in rows:
        row["hours_in_force"] = (row["released_at"] - row["entered_at"]).total_seconds() / 3600
    return rows


def costs_by_week(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of :func:`release_costs` summed by source and the Monday of the week of release, latest week first.

    Columns: week, source (source URI, else contributor), documents, hours_in_force, queries_changed, answers_affected.
    """
    found: dict[tuple[date, str], dict[str, Any]] = {}
    for row in rows:
        key = (_monday(row["released_at"]), row["source_uri"] or row["contributor"])
        entry = found.setdefault(
            key,
            {
                "week": key[0],
                "source": key[1],
                "documents": 0,
                "hours_in_force": 0.0,
                "queries_changed": 0,
                "answers_affected": 0,
            },
        )
        entry["documents"] += 1
        for name in ("hours_in_force", "queries_changed", "answers_affected"):
            entry[name] += row[name]
    return [found[key] for key in sorted(found, key=lambda key: (-key[0].toordinal(), key[1]))]


def _monday(moment: datetime) -> date:
    return moment.date() - timedelta(days=moment.weekday())
