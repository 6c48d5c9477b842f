"""Labels joined to stored scores: what an evaluation and a what-if read, as Arrow tables."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from warehouse import sql
from warehouse.database import Warehouse
from warehouse.principal import Principal


def labelled_candidates(wh: Warehouse, *, principal: Principal, corpus: str = "") -> pa.Table:
    """Candidates of the latest event of each question, with terms and label; columns of evaluation_candidates.sql."""
    with wh.reading() as cursor:
        return sql.table(cursor, "evaluation_candidates", corpus=corpus, **principal.scope())


def latest_scans(wh: Warehouse, *, principal: Principal, corpus: str = "") -> list[dict[str, Any]]:
    """The latest finished scan of each corpus, encoder, detector and rule."""
    with wh.reading() as cursor:
        return sql.rows(cursor, "evaluation_scans", corpus=corpus, **principal.scope())


def labelled_documents(wh: Warehouse, scan: str, *, principal: Principal) -> pa.Table:
    """Documents of a scan with label, source and verdict; columns of evaluation_documents.sql."""
    with wh.reading() as cursor:
        return sql.table(cursor, "evaluation_documents", scan_id=scan, **principal.scope())


def retained_links(wh: Warehouse, scan: str, *, principal: Principal) -> pa.Table:
    """Pairs of version ids that a scan retained as neighbours: what joins clean documents without a source."""
    with wh.reading() as cursor:
        return sql.table(cursor, "evaluation_links", scan_id=scan, **principal.scope())


def injected(wh: Warehouse, *, principal: Principal, corpus: str = "") -> pa.Table:
    """Planted documents with the questions they were planted for: corpus, query_id, document_id, attack."""
    with wh.reading() as cursor:
        return sql.table(cursor, "evaluation_injected", corpus=corpus, **principal.scope())
