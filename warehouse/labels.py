"""Truth for evaluation, with where it comes from; never made from a score."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from ragsieve_core.errors import InputError
from warehouse import audit, corpora, sql
from warehouse.database import Warehouse
from warehouse.ids import derived_id, new_id, utc_now
from warehouse.principal import Principal
from warehouse.records import LabelRecord


def record_labels(wh: Warehouse, labels: Sequence[LabelRecord], *, principal: Principal) -> int:
    """Append the labels that are not stored yet; returns how many were."""
    principal.require("reviewer", "record labels")
    for label in labels:
        if label.provenance not in ("fixture", "reviewer"):
            raise InputError(f"unknown provenance {label.provenance!r}", where="label", expected="fixture or reviewer")

    def work(cursor: duckdb.DuckDBPyConnection) -> int:
        now, names = utc_now(), {label.corpus for label in labels}
        ids = {name: corpora.ensure(cursor, name, principal) for name in sorted(names)}
        rows = {}
        for label in labels:
            parts = (label.corpus, label.document_id, label.query_id, label.condition, str(label.poison), label.attack)
            label_id = derived_id("label", *parts, label.provenance, label.source)
            rows[label_id] = {
                "label_id": label_id,
                "corpus_id": ids[label.corpus],
                "document_id": label.document_id,
                "query_id": label.query_id,
                "condition": label.condition,
                "poison": bool(label.poison),
                "attack": label.attack,
                "provenance": label.provenance,
                "source": label.source,
                "sampling_probability": label.sampling_probability,
                "acted_at": now,
                "actor": principal.identity,
            }
        known = cursor.execute(
            "SELECT label_id FROM labels WHERE label_id IN (SELECT unnest(?::VARCHAR[]))", [list(rows)]
        ).fetchall()
        for (label_id,) in known:
            del rows[label_id]
        if not rows:
            return 0
        sql.insert(cursor, "labels", pa.Table.from_pylist(list(rows.values()), schema=_SCHEMA))
        audit.append(cursor, principal.identity, "labels_recorded", new_id("labels"), {"labels": len(rows)})
        return len(rows)

    return wh.run_transaction(work)


_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("label_id", "corpus_id", "document_id", "query_id", "condition")),
        ("poison", pa.bool_()),
        *((name, pa.string()) for name in ("attack", "provenance", "source")),
        ("sampling_probability", pa.float64()),
        ("acted_at", pa.timestamp("us")),
        ("actor", pa.string()),
    ]
)


def list_labels(wh: Warehouse, *, principal: Principal, corpus: str = "", held_out: bool = False) -> pa.Table:
    """Labels of a corpus (name or id; empty: all) as an Arrow table, oldest first; only of the caller's documents.

    Parameters
    ----------
    held_out : leave out what reviewers said: thresholds and reviews lean on each other, so that a split kept for
        evaluation may hold fixtures alone.
    """
    with wh.reading() as cursor:
        return sql.table(cursor, "labels", corpus=corpus, held_out=held_out, **principal.scope())


def record_qrels(
    wh: Warehouse, corpus: str, judgements: Sequence[tuple[str, str, int]], *, source: str, principal: Principal
) -> int:
    """Append relevance judgements (query id, document id, relevance) that say something new; returns how many did."""
    principal.require("reviewer", "record relevance judgements")
    asked = pa.Table.from_pylist(
        [
            {"query_id": query, "document_id": document, "relevance": max(0, relevance)}
            for query, document, relevance in {(q, d): (q, d, r) for q, d, r in judgements}.values()
        ],
        schema=pa.schema([("query_id", pa.string()), ("document_id", pa.string()), ("relevance", pa.int32())]),
    )

    def work(cursor: duckdb.DuckDBPyConnection) -> int:
        corpus_id = corpora.ensure(cursor, corpus, principal)
        cursor.register("asked", asked)
        try:
            fresh = sql.table(cursor, "qrels_new", corpus_id=corpus_id)
        finally:
            cursor.unregister("asked")
        if not fresh.num_rows:
            return 0
        shared = {"corpus_id": corpus_id, "source": source, "acted_at": utc_now(), "actor": principal.identity}
        rows = [row | shared for row in fresh.to_pylist()]
        sql.insert(cursor, "qrels", pa.Table.from_pylist(rows, schema=_QRELS))
        audit.append(cursor, principal.identity, "qrels_recorded", corpus_id, {"qrels": len(rows), "source": source})
        return len(rows)

    return wh.run_transaction(work)


_QRELS = pa.schema(
    [
        *((name, pa.string()) for name in ("corpus_id", "query_id", "document_id")),
        ("relevance", pa.int32()),
        ("source", pa.string()),
        ("acted_at", pa.timestamp("us")),
        ("actor", pa.string()),
    ]
)
