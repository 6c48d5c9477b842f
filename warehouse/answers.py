"""Answers given from gated contexts, and the reach of documents: retrieved, in context, cited."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa

from ragsieve_core.errors import InputError
from warehouse import audit, corpora, sql
from warehouse.database import Warehouse
from warehouse.ids import utc_now
from warehouse.principal import Principal
from warehouse.records import AnswerRecord
from warehouse.tickets import Ticket

_COLUMNS = pa.schema(
    [
        ("event_id", pa.string()),
        ("answer_id", pa.string()),
        ("corpus_id", pa.string()),
        ("tenant", pa.string()),
        ("cited", pa.list_(pa.string())),
        ("answered_at", pa.timestamp("us")),
        ("recorded_at", pa.timestamp("us")),
        ("actor", pa.string()),
        ("segment_id", pa.string()),
    ]
)


def check_answers(answers: Sequence[AnswerRecord], principal: Principal) -> None:
    """Raise :class:`InputError` for an answer without ids, and refuse one of another tenant."""
    for answer in answers:
        if not answer.event_id or not answer.answer_id or not answer.corpus:
            raise InputError("an answer without event, name or corpus", where="answers", expected="non-empty ids")
        principal.require_tenant(answer.tenant, "record an answer")


def store_answers(
    cursor: duckdb.DuckDBPyConnection, answers: Sequence[AnswerRecord], principal: Principal, ticket: Ticket | None
) -> int:
    """Append the answers that are not stored yet, within the caller's write transaction; returns how many."""
    if not answers:
        return 0
    events = sorted({answer.event_id for answer in answers})
    known = {
        (str(row[0]), str(row[1]))
        for row in cursor.execute(
            "SELECT event_id, answer_id FROM event_answers WHERE event_id IN (SELECT unnest(?::VARCHAR[]))", [events]
        ).fetchall()
    }
    fresh: dict[tuple[str, str], AnswerRecord] = {}
    for answer in answers:
        name = (answer.event_id, answer.answer_id)
        if name not in known:
            fresh.setdefault(name, answer)
    if not fresh:
        return 0
    now = utc_now()
    rows = [
        {
            "event_id": answer.event_id,
            "answer_id": answer.answer_id,
            "corpus_id": corpora.corpus_id_of(answer.corpus),
            "tenant": answer.tenant,
            "cited": list(answer.cited),
            "answered_at": _naive(answer.answered_at),
            "recorded_at": now,
            "actor": principal.identity,
            "segment_id": ticket.segment_id if ticket else None,
        }
        for answer in fresh.values()
    ]
    sql.insert(cursor, "event_answers", pa.Table.from_pylist(rows, schema=_COLUMNS))
    segment = ticket.segment_id if ticket else None
    audit.append(
        cursor, principal.identity, "answers_recorded", segment or "answers", {"answers": len(rows), "segment": segment}
    )
    return len(rows)


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def document_reach(
    wh: Warehouse, corpus: str, *, principal: Principal, document_id: str = "", limit: int = 1000
) -> list[dict[str, Any]]:
    """Events that ``retrieved`` a document or held it ``in_context``, answers that ``cited`` it; widest first."""
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id
    with wh.reading() as cursor:
        return sql.rows(
            cursor,
            "document_reach",
            corpus_id=corpus_id,
            document_id=document_id,
            max_rows=limit,
            **principal.scope(),
        )


def gate_events(
    wh: Warehouse,
    *,
    principal: Principal,
    corpus: str = "",
    state: str = "",
    mode: str = "",
    since: datetime | None = None,
    limit: int = 50,
) -> list[dict[str, Any]]:
    """Gated queries with their counts, latest first.

    Parameters
    ----------
    corpus, state, mode : empty for any.
    since : naive UTC; None for ever.
    """
    with wh.reading() as cursor:
        return sql.rows(
            cursor,
            "gate_events",
            corpus=corpus,
            state=state,
            mode=mode,
            since=since,
            max_rows=limit,
            **principal.scope(),
        )
