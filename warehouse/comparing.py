"""Stored rankings and who of them is a member of two quarantine versions: what a comparison of versions reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from warehouse import sql
from warehouse.corpora import get_corpus
from warehouse.database import Warehouse
from warehouse.principal import Principal


def compared_rankings(
    wh: Warehouse,
    corpus: str,
    a: str,
    b: str,
    *,
    principal: Principal,
    source: str = "",
    rule: str = "",
    condition: str = "",
    event: str = "",
) -> tuple[pa.Table, pa.Table]:
    """Events of a corpus and their ranked documents, columns of compare_events.sql and compare_rankings.sql.

    Parameters
    ----------
    a, b : quarantine versions; empty for none.
    source, rule, condition, event : empty for any.

    Raises
    ------
    InputError
        unknown corpus.
    """
    wanted: dict[str, Any] = {
        "corpus_id": get_corpus(wh, corpus, principal=principal).corpus_id,
        "source": source,
        "rule": rule,
        "condition": condition,
        "event_id": event,
        **principal.scope(),
    }
    with wh.reading() as cursor:
        events = sql.table(cursor, "compare_events", **wanted)
        return events, sql.table(cursor, "compare_rankings", a=a, b=b, **wanted)


def version_texts(wh: Warehouse, versions: Sequence[int], *, principal: Principal) -> dict[int, tuple[str, str]]:
    """Version id -> (title, text) of those that the caller may see and whose text is kept."""
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "compare_texts", version_ids=[int(one) for one in versions], **principal.scope())
    return {int(row["version_id"]): (row["title"] or "", row["text"]) for row in rows}
