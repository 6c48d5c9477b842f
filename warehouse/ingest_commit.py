"""The transaction of an ingest: what was staged becomes versions, members of a snapshot, and a receipt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from warehouse import audit, corpora, snapshots, sql
from warehouse import embeddings as vectors
from warehouse.database import Warehouse
from warehouse.ids import utc_now
from warehouse.principal import Principal
from warehouse.records import EncoderSpec
from warehouse.staging import Staged
from warehouse.tickets import Ticket


@dataclass(frozen=True, slots=True)
class GivenVectors:
    """Checked vectors; row i belongs to record ``ordinals[i]``, which ascend."""

    encoder: EncoderSpec
    ordinals: NDArray[np.int64]
    matrix: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IngestJob:
    """What stays the same while the transaction may be run again."""

    corpus: str
    batch_id: str
    label: str
    input_name: str
    started: datetime
    full: bool
    rejects_file: Path | None
    ticket: Ticket | None
    vectors: GivenVectors | None


def settle(
    wh: Warehouse, cursor: duckdb.DuckDBPyConnection, job: IngestJob, staged: Staged, principal: Principal
) -> dict[str, Any]:
    """Place what was staged, end what a full ingest lacks, register vectors, make the snapshot; returns the receipt."""
    corpus_id = corpora.ensure(cursor, job.corpus, principal)
    now = utc_now()
    parameters: dict[str, Any] = {"corpus_id": corpus_id, "batch_id": job.batch_id, "now": now}
    sql.run(cursor, "ingest_place", corpus_id=corpus_id)
    sql.run(cursor, "ingest_versions", **parameters)
    counted = sql.first(cursor, "SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new) FROM placed")
    accepted, duplicates = (int(counted[0]), int(counted[1])) if counted else (0, 0)
    tombstoned = 0
    if job.full and not staged.rejected:
        ended = sql.run(cursor, "ingest_vanished", **parameters, actor=principal.identity, **principal.scope())
        tombstoned = int(ended.fetchall()[0][0])
    embedded = 0
    if job.vectors is not None:
        embedded = _register_vectors(wh, cursor, job.vectors, corpus_id, principal)
    snapshot = snapshots.make_snapshot(cursor, corpus_id, principal, job.batch_id)
    documents = sql.first(cursor, "SELECT documents FROM snapshots WHERE snapshot_id = ?", [snapshot])
    root = sql.first(
        cursor, "SELECT coalesce(sha256(string_agg(record_hash, '' ORDER BY ordinal)), '') FROM placed WHERE is_new"
    )
    cursor.execute(
        "INSERT INTO ingest_batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            job.batch_id,
            corpus_id,
            job.label,
            job.input_name,
            principal.identity,
            job.started,
            now,
            staged.records,
            accepted,
            duplicates,
            len(staged.rejected),
            tombstoned,
            snapshot,
            job.full,
            job.ticket.segment_id if job.ticket else None,
        ],
    )
    audit.append(
        cursor,
        principal.identity,
        "ingested",
        job.batch_id,
        {
            "corpus": corpus_id,
            "accepted": accepted,
            "duplicates": duplicates,
            "rejected": len(staged.rejected),
            "tombstoned": tombstoned,
            "snapshot": snapshot,
            "segment": job.ticket.segment_id if job.ticket else None,
        },
        {"content": str(root[0]) if root else ""},
    )
    receipt: dict[str, Any] = {
        "corpus_id": corpus_id,
        "batch": job.batch_id,
        "accepted": accepted,
        "duplicates": duplicates,
        "tombstoned": tombstoned,
        "embedded": embedded,
        "snapshot": snapshot,
        "documents": int(documents[0]) if documents else 0,
        "rejected": len(staged.rejected),
        "full_refused": job.full and bool(staged.rejected),
        "rejects_file": str(job.rejects_file) if job.rejects_file else None,
        "admission": corpora.admission_of(cursor, corpus_id),
    }
    if job.ticket is not None:
        job.ticket.stamp(cursor, principal.identity, "taken", receipt)
    return receipt


def _register_vectors(
    wh: Warehouse, cursor: duckdb.DuckDBPyConnection, given: GivenVectors, corpus_id: str, principal: Principal
) -> int:
    if len(given.ordinals) == 0:
        return 0
    placed = sql.table(cursor, "ingest_placed_versions")
    ordinals, versions = placed["ordinal"].to_numpy(), placed["version_id"].to_numpy()
    rows = np.minimum(np.searchsorted(given.ordinals, ordinals), len(given.ordinals) - 1)
    present = given.ordinals[rows] == ordinals
    registered = vectors.register(
        cursor, wh.side, given.encoder, corpus_id, versions[present], rows[present], given.matrix, principal
    )
    return registered.rows if registered else 0
