"""Retrieval events: the ranking as it was, the evidence for its candidates, and the alerts that follow."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import duckdb
import pyarrow as pa

from ragsieve_core.errors import InputError, nearest
from warehouse import audit, corpora, facts, sql
from warehouse.alert_state import refresh_alerts
from warehouse.answers import check_answers, store_answers
from warehouse.database import Warehouse
from warehouse.event_columns import candidate_table, check_event, event_id, event_table, ranking_table
from warehouse.ids import new_id, utc_now
from warehouse.opening import feed
from warehouse.principal import Principal
from warehouse.realerting import reopen_changed
from warehouse.records import AnswerRecord, EventRecord, Page
from warehouse.tickets import Ticket


@dataclass(frozen=True, slots=True)
class RecordedEvents:
    """Counts of one call; ``duplicates`` were stored before, ``ids`` in the order given, duplicates included.

    ``answers`` counts new ones.
    """

    events: int
    duplicates: int
    candidates: int
    flagged: int
    alerts: int
    new_alerts: int
    ids: tuple[str, ...]
    answers: int = 0


@dataclass(frozen=True, slots=True)
class EventDetail:
    """One event with its ranking and candidates, each a list of dicts with the columns of docs/schema.md."""

    event: dict[str, Any]
    ranking: list[dict[str, Any]]
    candidates: list[dict[str, Any]]


SORTS: dict[str, str] = {
    "occurred_at": "events.occurred_at",
    "event_id": "events.event_id",
    "query_id": "events.query_id",
    "condition": "events.condition",
    "state": "events.state",
    "latency_ms": "events.latency_ms",
}


def record_events(
    wh: Warehouse,
    events: Sequence[EventRecord],
    *,
    principal: Principal,
    ticket: Ticket | None = None,
    answers: Sequence[AnswerRecord] = (),
) -> RecordedEvents:
    """Store events with their rankings and evidence, and open or feed alerts, in one transaction.

    An event or answer whose id is stored already is a duplicate and changes nothing. A ranked text that the corpus does
    not hold is kept as a version of origin ``event``: its evidence can be shown, no snapshot holds it.

    Raises
    ------
    InputError
        ranks that do not rise, a candidate that was not ranked, or a tenant outside the caller's set.
    """
    principal.require("reviewer", "record retrieval events")
    for event in events:
        check_event(event)
        principal.require_tenant(event.tenant, "record an event")
    check_answers(answers, principal)
    key = facts.fact(wh, "query_key")
    ids = tuple(event_id(event, key) for event in events)
    named = dict(reversed(list(zip(ids, events, strict=True))))
    batch = _Batch(new_id("events"), key, principal, ticket)
    with wh.reading() as reader:
        known = _known(reader, list(named))
    # Built before the write lock is taken: it holds everybody up, and most of the time is spent here.
    ready = batch.rows({name: event for name, event in named.items() if name not in known})

    def work(cursor: duckdb.DuckDBPyConnection) -> RecordedEvents:
        raced = _known(cursor, [name for name, _, _ in ready.fresh])
        rows = batch.rows({name: event for name, _, event in ready.fresh if name not in raced}) if raced else ready
        result = replace(
            _store(wh, cursor, rows, batch, ids), answers=store_answers(cursor, answers, principal, ticket)
        )
        if ticket is not None:
            ticket.stamp(cursor, principal.identity, "taken", asdict(result))
        return result

    with contextlib.closing(wh.cursor()) as cursor:
        recorded = wh.run_transaction(work, cursor=cursor)
    if recorded.alerts:
        reopen_changed(wh, principal=principal)
    return recorded


@dataclass(frozen=True, slots=True)
class _Rows:
    """Events to store as (event id, corpus id, record), and their tables."""

    fresh: list[tuple[str, str, EventRecord]]
    events: pa.Table
    ranking: pa.Table
    candidates: pa.Table


@dataclass(frozen=True, slots=True)
class _Batch:
    """What the events of one call share."""

    batch_id: str
    key: str
    principal: Principal
    ticket: Ticket | None

    def rows(self, events: Mapping[str, EventRecord]) -> _Rows:
        fresh = [(name, corpora.corpus_id_of(event.corpus), event) for name, event in events.items()]
        shared: dict[str, object] = {
            "batch_id": self.batch_id,
            "recorded_at": utc_now(),
            "actor": self.principal.identity,
            "segment_id": self.ticket.segment_id if self.ticket else None,
        }
        return _Rows(fresh, event_table(fresh, self.key, shared), ranking_table(fresh), candidate_table(fresh))


def _store(
    wh: Warehouse, cursor: duckdb.DuckDBPyConnection, rows: _Rows, batch: _Batch, ids: tuple[str, ...]
) -> RecordedEvents:
    if not rows.fresh:
        return RecordedEvents(0, len(ids), 0, 0, 0, 0, ids)
    for name in sorted({event.corpus for _, _, event in rows.fresh}):
        corpora.ensure(cursor, name, batch.principal)
    sql.insert(cursor, "retrieval_events", rows.events)
    _place(cursor, rows.ranking, rows.candidates, batch.batch_id)
    before, actor = wh.history_numbers(), batch.principal.identity
    sql.run(cursor, "alert_new_reach", batch_id=batch.batch_id, actor=actor, now=utc_now(), first_seq=before).complete()
    alerts, opened = _feed(wh, cursor, rows.fresh, batch.principal)
    refresh_alerts(cursor, before)
    flagged = sum(candidate.flagged for _, _, event in rows.fresh for candidate in event.candidates)
    counts = {"events": len(rows.fresh), "candidates": rows.candidates.num_rows, "flagged": flagged}
    segment = batch.ticket.segment_id if batch.ticket else None
    audit.append(cursor, actor, "events_recorded", batch.batch_id, {**counts, "new_alerts": opened, "segment": segment})
    return RecordedEvents(duplicates=len(ids) - len(rows.fresh), alerts=alerts, new_alerts=opened, ids=ids, **counts)


def _known(cursor: duckdb.DuckDBPyConnection, names: list[str]) -> set[str]:
    found = cursor.execute(
        "SELECT event_id FROM retrieval_events WHERE event_id IN (SELECT unnest(?::VARCHAR[]))", [names]
    ).fetchall()
    return {str(entry[0]) for entry in found}


def _place(cursor: duckdb.DuckDBPyConnection, ranking: pa.Table, candidates: pa.Table, batch_id: str) -> None:
    """Find or make the version of every ranked document, then append ranking and candidates."""
    cursor.register("ranked", ranking)
    try:
        sql.run(cursor, "event_versions", batch_id=batch_id, now=utc_now()).complete()
        sql.run(cursor, "event_place").complete()
    finally:
        cursor.unregister("ranked")
    cursor.execute("INSERT INTO event_ranking BY NAME SELECT * FROM placed_ranking").complete()
    cursor.register("candidates", candidates)
    try:
        cursor.execute(
            "INSERT INTO candidate_evidence BY NAME SELECT candidates.*, placed_ranking.version_id "
            "FROM candidates JOIN placed_ranking USING (event_id, document_id)"
        ).complete()
    finally:
        cursor.unregister("candidates")


def _feed(
    wh: Warehouse,
    cursor: duckdb.DuckDBPyConnection,
    events: Sequence[tuple[str, str, EventRecord]],
    principal: Principal,
) -> tuple[int, int]:
    groups: dict[tuple[str, float], list[str]] = {}
    for name, _, event in events:
        groups.setdefault((event.rule, float(event.threshold)), []).append(name)
    alerts = opened = 0
    for (rule, threshold), names in sorted(groups.items()):
        fed = feed(wh, cursor, sql.table(cursor, "event_evidence", event_ids=names), "rsq", threshold, rule, principal)
        alerts += fed.alerts
        opened += fed.opened
    return alerts, opened


def list_events(
    wh: Warehouse,
    *,
    principal: Principal,
    corpus: str = "",
    state: str = "",
    condition: str = "",
    query_id: str = "",
    document_id: str = "",
    flagged: bool | None = None,
    sort: str = "occurred_at",
    descending: bool = True,
    limit: int = 50,
    offset: int = 0,
) -> Page:
    """One page of events with their counts of ranked, flagged and removed documents; empty filters match all.

    ``document_id``: events that ranked it. ``flagged``: events with (True) or without (False) a flagged candidate.
    """
    if sort not in SORTS:
        raise InputError(f"no column {sort!r} to sort by", where="sort", expected=nearest(sort, SORTS))
    order = f"{SORTS[sort]} {'DESC' if descending else 'ASC'} NULLS LAST, events.event_id"
    parameters = {
        "corpus": corpus,
        "state": state,
        "condition": condition,
        "query_id": query_id,
        "document_id": document_id,
        "flagged": flagged,
        **principal.scope(),
    }
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "events", order_by=order, limit=limit, offset=offset, **parameters)
        total = sql.row(cursor, "event_count", **parameters)
    return Page(rows, int(total["total"]) if total else 0, limit, offset)


def get_event(wh: Warehouse, event: str, *, principal: Principal) -> EventDetail:
    """One event as it was, with the texts of its ranked documents.

    Raises
    ------
    InputError
        unknown, or of another tenant.
    """
    with wh.reading() as cursor:
        scope = principal.scope()
        found = sql.row(cursor, "event", event_id=event, **scope)
        if found is None:
            raise InputError(f"no event {event!r}", where="event")
        ranking = sql.rows(cursor, "event_documents", event_id=event, **scope)
        candidates = sql.rows(cursor, "event_candidates", event_id=event, **scope)
    return EventDetail(found, ranking, candidates)


def candidate_rows(wh: Warehouse, *, principal: Principal, corpus: str = "", rule: str = "") -> pa.Table:
    """Every candidate's numbers with query id and condition, without the detail: for what-if, export and evaluation."""
    with wh.reading() as cursor:
        return sql.table(cursor, "candidate_rows", corpus=corpus, rule=rule, **principal.scope())


def exposure(wh: Warehouse, corpus: str, *, principal: Principal, depth: int = 20) -> list[int]:
    """Version ids that stored events ranked within ``depth``, most often ranked first."""
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "exposure", corpus=corpus, depth=depth, **principal.scope())
    return [int(row["version_id"]) for row in rows]
