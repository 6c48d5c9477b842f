"""Event records as Arrow tables, one per target table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa

from ragsieve_core.document import content_hash
from ragsieve_core.errors import InputError
from warehouse.facts import query_hash
from warehouse.ids import canonical_json, derived_id
from warehouse.records import EventRecord

TERMS = (
    "p_anchor",
    "e_anchor",
    "v_script",
    "p_script",
    "e_script",
    "burst_8",
    "change_8",
    "burst_16",
    "change_16",
    "e_surprisal",
    "alignment_jump",
    "p_alignment",
    "e_alignment",
    "score",
)
_HASH = re.compile(r"\A[0-9a-f]{64}\Z")
_DETAILS = ("anchors", "script_runs", "surprisal", "alignment", "tail")
_RANKING = pa.schema(
    [
        ("event_id", pa.string()),
        ("rank", pa.int32()),
        ("document_id", pa.string()),
        ("given_version", pa.int64()),
        ("content_hash", pa.string()),
        ("text", pa.string()),
        ("similarity", pa.float64()),
        ("in_context", pa.bool_()),
        ("removed_by", pa.string()),
        ("corpus_id", pa.string()),
        ("tenant", pa.string()),
    ]
)
_CANDIDATES = pa.schema(
    [
        ("event_id", pa.string()),
        ("rank", pa.int32()),
        ("document_id", pa.string()),
        *((name, pa.float64()) for name in TERMS),
        ("flagged", pa.bool_()),
        ("removed", pa.bool_()),
        *((name, pa.string()) for name in _DETAILS),
    ]
)


def event_id(event: EventRecord, key: str) -> str:
    """The id given, or one derived under ``key`` from what makes the event what it was (scores follow from it)."""
    if event.event_id:
        return event.event_id
    ranking = [
        [entry.document_id, entry.rank, entry.version_id, content_hash(entry.text) if entry.text is not None else None]
        for entry in event.ranking
    ]
    return derived_id(
        "event",
        key,
        event.source,
        event.corpus,
        event.tenant,
        event.query_id,
        event.query_hash or event.query,
        event.condition,
        event.snapshot or "",
        event.quarantine_version or "",
        event.encoder or "",
        event.rule,
        event.config_key,
        canonical_json(dict(event.model_versions)),
        canonical_json(ranking),
    )


def check_event(event: EventRecord) -> None:
    """Raise InputError where ranks do not rise, a document is ranked twice or a candidate was not ranked."""
    ranks = [entry.rank for entry in event.ranking]
    if any(later <= earlier for earlier, later in pairwise(ranks)) or (ranks and ranks[0] < 1):
        raise InputError("ranks that do not rise from 1", where=f"event of query {event.query_id!r}")
    if event.query_hash and (event.query or not _HASH.match(event.query_hash)):
        raise InputError(
            "a query hash beside a query, or one that is none", where="query_hash", expected="64 hex digits, no query"
        )
    ranked = {entry.document_id for entry in event.ranking}
    if len(ranked) < len(event.ranking):
        raise InputError("a document is ranked twice", where=f"event of query {event.query_id!r}")
    strangers = [entry.document_id for entry in event.candidates if entry.document_id not in ranked]
    if strangers:
        raise InputError(
            f"candidate {strangers[0]!r} is not in the ranking", where=f"event of query {event.query_id!r}"
        )


def event_table(events: Sequence[tuple[str, str, EventRecord]], key: str, shared: dict[str, object]) -> pa.Table:
    """Rows of retrieval_events from (event id, corpus id, record); ``shared`` is equal for the batch."""
    return pa.Table.from_pylist(
        [
            {
                "event_id": name,
                "source": event.source,
                "corpus_id": corpus_id,
                "tenant": event.tenant,
                "query_id": event.query_id,
                "query_text": event.query if event.store_query and not event.query_hash else None,
                "query_hash": event.query_hash or query_hash(key, event.query),
                "condition": event.condition,
                "snapshot_id": event.snapshot,
                "index_version": event.index_version,
                "quarantine_version": event.quarantine_version,
                "encoder_key": event.encoder,
                "rule": event.rule,
                "config": canonical_json(dict(event.config)),
                "config_key": event.config_key,
                "model_versions": canonical_json(dict(event.model_versions)),
                "code_version": event.code_version,
                "threshold": float(event.threshold),
                "state": event.state,
                "state_detail": canonical_json(dict(event.state_detail)),
                "latency_ms": event.latency_ms,
                "refill_depth": event.refill_depth,
                "occurred_at": event.occurred_at or shared["recorded_at"],
                **shared,
            }
            for name, corpus_id, event in events
        ]
    )


def ranking_table(events: Sequence[tuple[str, str, EventRecord]]) -> pa.Table:
    """Ranked documents with what is known of their version; see :class:`warehouse.records.RankedRecord`."""
    return pa.Table.from_pylist(
        [
            {
                "event_id": name,
                "rank": entry.rank,
                "document_id": entry.document_id,
                "given_version": entry.version_id,
                "content_hash": None if entry.text is None else content_hash(entry.text),
                "text": entry.text,
                "similarity": entry.similarity,
                "in_context": entry.in_context,
                "removed_by": entry.removed_by,
                "corpus_id": corpus_id,
                "tenant": event.tenant,
            }
            for name, corpus_id, event in events
            for entry in event.ranking
        ],
        schema=_RANKING,
    )


def candidate_table(events: Sequence[tuple[str, str, EventRecord]]) -> pa.Table:
    """Rows of candidate_evidence, the version left to be joined from the ranking."""
    return pa.Table.from_pylist(
        [
            {
                "event_id": name,
                "rank": entry.rank,
                "document_id": entry.document_id,
                "flagged": bool(entry.flagged),
                "removed": bool(entry.removed),
                **{term: _number(getattr(entry, term)) for term in TERMS},
                **{
                    detail: canonical_json(list(value) if detail in ("anchors", "script_runs") else dict(value))
                    for detail in _DETAILS
                    for value in [getattr(entry, detail)]
                },
            }
            for name, _, event in events
            for entry in event.candidates
        ],
        schema=_CANDIDATES,
    )


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)
