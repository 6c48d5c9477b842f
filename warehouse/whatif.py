"""Stored scores as columns for what-if: read once, moved as often as a slider moves."""

from __future__ import annotations

import pyarrow as pa

from warehouse import sql
from warehouse.database import Warehouse
from warehouse.principal import Principal


def rules_used(wh: Warehouse, corpus: str, detector: str, *, principal: Principal) -> list[str]:
    """Rules with stored scores of a detector over a corpus, the one used last first; empty where nothing was scored."""
    with wh.reading() as cursor:
        found = sql.rows(cursor, "whatif_rule", corpus=corpus, detector=detector, **principal.scope())
    return [str(row["rule"]) for row in found]


def candidates(wh: Warehouse, corpus: str, rule: str, retriever: str | None, *, principal: Principal) -> pa.Table:
    """Scored candidates of a slice with label and verdict; columns of whatif_candidates.sql.

    Parameters
    ----------
    retriever : encoder key; empty for events that name none, None for all.
    """
    with wh.reading() as cursor:
        return sql.table(
            cursor, "whatif_candidates", corpus=corpus, rule=rule, retriever=retriever, **principal.scope()
        )


def judged_rankings(wh: Warehouse, corpus: str, rule: str, retriever: str | None, *, principal: Principal) -> pa.Table:
    """Rankings of the events of a slice whose questions have relevance judgements."""
    with wh.reading() as cursor:
        return sql.table(cursor, "whatif_rankings", corpus=corpus, rule=rule, retriever=retriever, **principal.scope())


def neighbors(wh: Warehouse, scan: str, *, principal: Principal) -> pa.Table:
    """Cosine and Jaccard of every stored neighbour, by version and position."""
    with wh.reading() as cursor:
        return sql.table(cursor, "whatif_neighbors", scan_id=scan, **principal.scope())


def reach(wh: Warehouse, corpus_id: str, *, principal: Principal) -> pa.Table:
    """Which versions the events of a corpus ranked."""
    with wh.reading() as cursor:
        return sql.table(cursor, "whatif_reach", corpus_id=corpus_id, **principal.scope())
