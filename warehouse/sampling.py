"""Blind review: random draws of what was not flagged, known items, second looks; all answered without seeing which.

A draw takes a simple random sample without replacement of each stratum, so that every unit's probability is known and
stored. Reviewers are given items in an order that tells nothing, and never a score, a flag, a stratum or the kind.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import duckdb
import numpy as np
import pyarrow as pa

from ragsieve_core.errors import InputError, nearest
from warehouse import audit, corpora, sql
from warehouse.database import Warehouse
from warehouse.desk_policy import policy_of
from warehouse.errors import RefusedError
from warehouse.ids import new_id, utc_now
from warehouse.principal import Principal
from warehouse.refusals import Refusal

Unit = Literal["document", "candidate"]


@dataclass(frozen=True, slots=True)
class Draw:
    """A stored draw: units it was drawn from and units drawn, by stratum."""

    draw_id: str
    kind: str
    population: Mapping[str, int]
    drawn: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class BlindItem:
    """What a reviewer sees of an item: text and provenance, and the question for a candidate. Nothing else."""

    sample_id: str
    corpus: str
    document_id: str
    title: str
    text: str
    source_uri: str
    contributor: str
    ingested_at: datetime
    query_text: str | None


def draw_unflagged(
    wh: Warehouse,
    corpus: str,
    *,
    principal: Principal,
    unit: Unit = "document",
    rate: float | None = None,
    least: int = 0,
    seed: int | None = None,
) -> Draw:
    """Draw documents that the latest RSG scan did not flag, or candidates that RSQ did not, into the blind queue.

    Two strata: ``near`` (score at least half the threshold) and ``far``. Of each, ``ceil(rate · population)`` units, at
    least ``least`` where there are as many.

    Parameters
    ----------
    rate : [0, 1]; None for the policy's.
    seed : of the draw, stored with it; None for a fresh one.

    Raises
    ------
    InputError
        unknown corpus or unit, no finished scan, a rate outside [0, 1].
    RefusedError
        ``nothing_to_do``: the rate is 0 and no least number is given, or nothing is unflagged.
    """
    principal.require_person("approver", "draw a sample")
    if unit not in ("document", "candidate"):
        raise InputError(f"unknown unit {unit!r}", where="unit", expected=nearest(unit, ("document", "candidate")))
    if rate is not None and not 0 <= rate <= 1:
        raise InputError(f"a rate of {rate}", where="rate", expected="0 to 1")
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id
    number = secrets.randbits(62) if seed is None else seed
    name = "unflagged_documents" if unit == "document" else "unflagged_candidates"

    def work(cursor: duckdb.DuckDBPyConnection) -> Draw:
        share = policy_of(cursor).sample_rate if rate is None else rate
        units = sql.rows(cursor, name, corpus_id=corpus_id, **principal.scope())
        if unit == "document" and not units:
            raise RefusedError(Refusal.NOTHING_TO_DO, "no finished scan left a document unflagged", where=corpus)
        strata: dict[str, list[dict[str, Any]]] = {"far": [], "near": []}
        for row in units:
            strata["near" if row["score"] is not None and row["score"] >= row["threshold"] / 2 else "far"].append(row)
        generator = np.random.default_rng(number)
        draw_id, population, drawn = new_id("draw"), {}, {}
        rows: list[dict[str, Any]] = []
        for stratum, members in strata.items():
            count = min(len(members), max(math.ceil(share * len(members)), least))
            population[stratum], drawn[stratum] = len(members), count
            places = sorted(generator.choice(len(members), count, replace=False)) if count else []
            rows.extend(_sample(draw_id, stratum, members[place], count / len(members)) for place in places)
        if not rows:
            raise RefusedError(Refusal.NOTHING_TO_DO, "nothing to draw", where=corpus, do="give a rate above 0")
        detector = "rsg" if unit == "document" else "rsq"
        scan = units[0]["scan_id"] if unit == "document" else None
        _store(cursor, draw_id, "audit", corpus_id, detector, scan, unit, number, population, drawn, rows, principal)
        return Draw(draw_id, "audit", population, drawn)

    return wh.run_transaction(work, urgent=True)


def seed_known(wh: Warehouse, corpus: str, known: Mapping[str, bool], *, principal: Principal) -> Draw:
    """Put documents with a known answer (document id -> promoted or not) among the blind items, to check the checking.

    Raises
    ------
    InputError
        an unknown corpus or document, or none at all.
    """
    principal.require_person("approver", "seed known items")
    if not known:
        raise InputError("no known item", where="known", expected="document ids with their answers")
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id

    def work(cursor: duckdb.DuckDBPyConnection) -> Draw:
        draw_id, rows = new_id("draw"), []
        for document_id, truth in known.items():
            found = sql.row(cursor, "document", corpus_id=corpus_id, document_id=document_id, **principal.scope())
            if found is None:
                raise InputError(f"no document {document_id!r}", where="known")
            rows.append(_sample(draw_id, "known", found, 1.0) | {"truth": bool(truth)})
        counts = {"known": len(rows)}
        _store(cursor, draw_id, "seeded", corpus_id, "", None, "document", 0, counts, counts, rows, principal)
        return Draw(draw_id, "seeded", counts, counts)

    return wh.run_transaction(work, urgent=True)


def draw_second_looks(
    wh: Warehouse, corpus: str, *, principal: Principal, rate: float | None = None, seed: int | None = None
) -> Draw:
    """Draw decided alerts to be judged again, blind, by somebody else than who decided.

    Raises
    ------
    RefusedError
        ``nothing_to_do``: nothing is decided, or the rate is 0.
    """
    principal.require_person("approver", "draw a sample")
    if rate is not None and not 0 <= rate <= 1:
        raise InputError(f"a rate of {rate}", where="rate", expected="0 to 1")
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id
    number = secrets.randbits(62) if seed is None else seed

    def work(cursor: duckdb.DuckDBPyConnection) -> Draw:
        share = policy_of(cursor).double_rate if rate is None else rate
        units = sql.rows(cursor, "decided_alerts", corpus_id=corpus_id, **principal.scope())
        count = math.ceil(share * len(units))
        if not count:
            raise RefusedError(Refusal.NOTHING_TO_DO, "nothing to draw", where=corpus, do="give a rate above 0")
        draw_id = new_id("draw")
        places = sorted(np.random.default_rng(number).choice(len(units), count, replace=False))
        rows = [_sample(draw_id, "decided", units[place], count / len(units)) for place in places]
        population, drawn = {"decided": len(units)}, {"decided": count}
        _store(cursor, draw_id, "double", corpus_id, "", None, "document", number, population, drawn, rows, principal)
        return Draw(draw_id, "double", population, drawn)

    return wh.run_transaction(work, urgent=True)


def next_blind(wh: Warehouse, *, principal: Principal, corpus: str = "") -> BlindItem | None:
    """The next item for this reviewer, None where nothing is left.

    An item is given once; never to who decided on its alert. The order is by a hash of item and reviewer.
    """
    principal.require_person("reviewer", "review blind")
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "blind_items", corpus=corpus, reviewer=principal.identity, **principal.scope())
    if not rows:
        return None
    row = min(rows, key=lambda r: hashlib.sha256(f"{r['sample_id']}{principal.identity}".encode()).digest())
    return BlindItem(**{name: row[name] for name in BlindItem.__dataclass_fields__})


def answer_blind(
    wh: Warehouse, sample_id: str, promoted: bool | None, *, principal: Principal, seconds: float, note: str = ""
) -> None:
    """Store a blind answer: True = looks planted to be retrieved, False = does not, None = cannot tell.

    Raises
    ------
    RefusedError
        ``already_answered`` by this person.
    InputError
        an item that was not given to this person, or a time below 0.
    """
    principal.require_person("reviewer", "review blind")
    if not (math.isfinite(seconds) and seconds >= 0):
        raise InputError(f"a time of {seconds} s", where="seconds", expected="0 or more")

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        mine = sql.first(
            cursor,
            "SELECT count(*) FROM review_answers WHERE sample_id = ? AND reviewer = ?",
            [sample_id, principal.identity],
        )
        if mine and mine[0]:
            raise RefusedError(Refusal.ALREADY_ANSWERED, "you answered this before", where=sample_id)
        rows = sql.rows(cursor, "blind_items", corpus="", reviewer=principal.identity, **principal.scope())
        if sample_id not in {row["sample_id"] for row in rows}:
            raise InputError(f"no item {sample_id!r} for {principal.identity}", where="sample", do="take the next one")
        cursor.execute(
            "INSERT INTO review_answers VALUES (?, ?, ?, ?, ?, ?)",
            [sample_id, principal.identity, promoted, seconds, note, utc_now()],
        ).complete()
        audit.append(cursor, principal.identity, "answered_blind", sample_id, {"promoted": promoted})

    wh.run_transaction(work, urgent=True)


def _sample(draw_id: str, stratum: str, row: Mapping[str, Any], probability: float) -> dict[str, Any]:
    return {
        "sample_id": new_id("sample"),
        "draw_id": draw_id,
        "stratum": stratum,
        "corpus_id": row["corpus_id"],
        "document_id": row["document_id"],
        "version_id": row["version_id"],
        "content_hash": row["content_hash"],
        "tenant": row["tenant"],
        "event_id": row.get("event_id"),
        "alert_id": row.get("alert_id"),
        "probability": probability,
        "truth": None,
    }


def _store(
    cursor: duckdb.DuckDBPyConnection,
    draw_id: str,
    kind: str,
    corpus_id: str,
    detector: str,
    scan_id: str | None,
    unit: str,
    seed: int,
    population: Mapping[str, int],
    drawn: Mapping[str, int],
    rows: Sequence[dict[str, Any]],
    principal: Principal,
) -> None:
    cursor.execute(
        "INSERT INTO sample_draws VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [draw_id, kind, corpus_id, detector, scan_id, unit, seed, utc_now(), principal.identity],
    ).complete()
    for stratum, size in population.items():
        cursor.execute(
            "INSERT INTO sample_strata VALUES (?, ?, ?, ?)", [draw_id, stratum, size, drawn[stratum]]
        ).complete()
    sql.insert(cursor, "review_samples", pa.Table.from_pylist(list(rows), schema=_SAMPLES))
    body = {"kind": kind, "unit": unit, "population": dict(population), "drawn": dict(drawn), "seed": seed}
    audit.append(cursor, principal.identity, "sample_drawn", draw_id, body)


_SAMPLES = pa.schema(
    [
        *((name, pa.string()) for name in ("sample_id", "draw_id", "stratum", "corpus_id", "document_id")),
        ("version_id", pa.int64()),
        *((name, pa.string()) for name in ("content_hash", "tenant", "event_id", "alert_id")),
        ("probability", pa.float64()),
        ("truth", pa.bool_()),
    ]
)
