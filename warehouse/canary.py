"""Canary replay: after a version is published, the stored questions that had reached its documents are asked again.

What is in force is read from the publication file, as a gate in another process reads it, and not from the tables that
made it: a publication that went wrong shows here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from ragsieve_core.errors import InputError
from ragsieve_core.publication import InForce, PublicationReader
from ragsieve_core.review.canary import OUTCOMES, judge
from warehouse import audit, sql
from warehouse.database import Warehouse
from warehouse.errors import RefusedError
from warehouse.ids import new_id, utc_now
from warehouse.principal import Principal
from warehouse.quarantine_versions import get_version
from warehouse.refusals import Refusal

MOST_QUERIES = 200
"""Latest distinct questions replayed for each document."""


@dataclass(frozen=True, slots=True)
class CanaryQuery:
    """A stored question that had reached documents which the version changed.

    ``documents``: (document id, added or removed, rank then, tenant). ``ranking``: ids as they were ranked then.
    ``query_text`` None where only its hash was kept.
    """

    event_id: str
    corpus: str
    corpus_id: str
    tenant: str
    query_text: str | None
    snapshot_id: str | None
    encoder_key: str | None
    documents: tuple[tuple[str, str, int, str], ...]
    ranking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """Ranking of one question after everything in force has left, best first; None with the reason in ``detail``."""

    ranking: Sequence[str] | None
    method: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CanaryReport:
    """Counts of one run: results, not questions; one question can concern several documents."""

    run_id: str
    quarantine_id: str
    publication: int
    queries: int
    outcomes: Mapping[str, int]

    @property
    def sound(self) -> bool:
        """True where nothing that was quarantined is still present."""
        return self.outcomes.get("still_present", 0) == 0


Replay = Callable[[Sequence[CanaryQuery], InForce], Sequence[Replayed]]


def stored_ranking(queries: Sequence[CanaryQuery], in_force: InForce) -> list[Replayed]:
    """The ranking of each event again, without what is in force now: needs no model, sees no other documents."""
    return [
        Replayed([name for name in q.ranking if not in_force.excluded_by(q.corpus, name)], "stored_ranking")
        for q in queries
    ]


def plan(wh: Warehouse, quarantine_id: str, *, principal: Principal) -> list[CanaryQuery]:
    """Questions to replay for a version: whose context held a document that it changed, or would have."""
    get_version(wh, quarantine_id, principal=principal)
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "canary_queries", quarantine_id=quarantine_id, most=MOST_QUERIES, **principal.scope())
        rankings = _rankings(cursor, sorted({row["event_id"] for row in rows}))
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["event_id"], []).append(row)
    return [
        CanaryQuery(
            event,
            group[0]["corpus"],
            group[0]["corpus_id"],
            group[0]["event_tenant"],
            group[0]["query_text"],
            group[0]["snapshot_id"],
            group[0]["encoder_key"],
            tuple((row["document_id"], row["change"], int(row["rank"]), row["tenant"]) for row in group),
            rankings.get(event, ()),
        )
        for event, group in found.items()
    ]


def _rankings(cursor: duckdb.DuckDBPyConnection, events: Sequence[str]) -> dict[str, tuple[str, ...]]:
    rows = sql.rows(cursor, "rankings_of", event_ids=list(events) or [""])
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["event_id"], []).append(str(row["document_id"]))
    return {event: tuple(names) for event, names in found.items()}


def run_canary(
    wh: Warehouse, quarantine_id: str, *, principal: Principal, replay: Replay = stored_ranking
) -> CanaryReport:
    """Replay the questions that a version concerns and store what became of its documents.

    Parameters
    ----------
    quarantine_id : the version in force: an earlier one is not what gates read.
    replay : one ranking per question, given what the publication file holds.

    Raises
    ------
    RefusedError
        ``not_in_force``.
    """
    principal.require("reviewer", "replay queries")
    if get_version(wh, quarantine_id, principal=principal).state != "in_force":
        raise RefusedError(Refusal.NOT_IN_FORCE, "another version is in force", where=quarantine_id)
    queries = plan(wh, quarantine_id, principal=principal)
    in_force = PublicationReader(wh.side.folder("published")).read().in_force
    replayed = list(replay(queries, in_force))
    if len(replayed) != len(queries):
        raise InputError(f"{len(replayed)} rankings for {len(queries)} questions", where="replay")
    run_id, now = new_id("canary"), utc_now()
    rows: list[dict[str, Any]] = []
    for query, again in zip(queries, replayed, strict=True):
        for document_id, change, rank, tenant in query.documents:
            outcome, after = judge(change, document_id, again.ranking)
            rows.append(
                {
                    "run_id": run_id,
                    "quarantine_id": quarantine_id,
                    "event_id": query.event_id,
                    "corpus_id": query.corpus_id,
                    "document_id": document_id,
                    "tenant": tenant,
                    "event_tenant": query.tenant,
                    "change": change,
                    "outcome": outcome,
                    "rank_before": rank,
                    "rank_after": after,
                    "method": again.method,
                    "detail": again.detail,
                }
            )
    counts = Counter(row["outcome"] for row in rows)
    outcomes: dict[str, int] = {name: counts.get(name, 0) for name in OUTCOMES}

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        cursor.execute(
            "INSERT INTO canary_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [run_id, quarantine_id, in_force.number, len(queries), *outcomes.values(), now, principal.identity],
        ).complete()
        sql.insert(cursor, "canary_results", pa.Table.from_pylist(rows, schema=_RESULTS))
        body: dict[str, object] = {"quarantine": quarantine_id, "queries": len(queries), **outcomes}
        body["publication"] = in_force.number
        audit.append(cursor, principal.identity, "canary_replayed", run_id, body)

    wh.run_transaction(work, urgent=True)
    return CanaryReport(run_id, quarantine_id, in_force.number, len(queries), outcomes)


def canary_runs(wh: Warehouse, *, principal: Principal, quarantine_id: str = "") -> list[dict[str, Any]]:
    """Runs, latest first: counts by outcome over the results the caller may see."""
    with wh.reading() as cursor:
        return sql.rows(cursor, "canary_runs", quarantine_id=quarantine_id, **principal.scope())


def canary_results(wh: Warehouse, run_id: str, *, principal: Principal) -> list[dict[str, Any]]:
    """Results of a run that the caller may see, still present ones first, with query_id, query_text and corpus."""
    with wh.reading() as cursor:
        return sql.rows(cursor, "canary_results", run_id=run_id, **principal.scope())


def without_canary(wh: Warehouse, *, principal: Principal) -> str | None:
    """The version in force if no replay of it is stored, else None."""
    principal.require("viewer", "read canary replays")
    with wh.reading() as cursor:
        found = sql.row(cursor, "canary_missing")
    return str(found["quarantine_id"]) if found else None


_RESULTS = pa.schema(
    [
        *(
            (name, pa.string())
            for name in (
                "run_id", "quarantine_id", "event_id", "corpus_id", "document_id", "tenant", "event_tenant", "change",
                "outcome",
            )
        ),
        ("rank_before", pa.int32()),
        ("rank_after", pa.int32()),
        ("method", pa.string()),
        ("detail", pa.string()),
    ]
)  # fmt: skip
