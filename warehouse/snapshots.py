"""Snapshots: fixed sets of document versions, stored as runs of version ids."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ragsieve_core.document import document_text
from ragsieve_core.errors import InputError
from warehouse import embeddings, sql
from warehouse.database import Warehouse
from warehouse.ids import derived_id, utc_now
from warehouse.principal import Principal


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot; ``documents`` counts all its members, ``sequence`` its place in the corpus."""

    snapshot_id: str
    corpus_id: str
    sequence: int
    parent_id: str | None
    batch_id: str | None
    documents: int
    created_at: datetime
    created_by: str


@dataclass(frozen=True, slots=True)
class SnapshotDocuments:
    """Members of a snapshot that the caller may see, by rising version id; every sequence has N entries.

    Attributes
    ----------
    version_ids : int64 (N,).
    ids, texts, titles, sources, tenants, content_hashes : text per member; ``sources`` is the parent document of a
        chunk, or else its source URI; ``texts`` is empty where it was not asked for.
    embeddings : float32 (N, d) as stored, possibly a read-only memory map; None without an encoder or while
        any is missing.
    missing : int64, positions without a vector; empty without an encoder.
    acls : group labels per member, a caller needs one of them; an empty list lets everyone of the tenant in.
    """

    snapshot: str
    corpus: str
    corpus_id: str
    version_ids: NDArray[np.int64]
    ids: Sequence[str]
    texts: Sequence[str]
    titles: Sequence[str]
    sources: Sequence[str]
    tenants: Sequence[str]
    content_hashes: Sequence[str]
    embeddings: NDArray[np.float32] | None
    missing: NDArray[np.int64]
    acls: Sequence[Sequence[str]]

    def __len__(self) -> int:
        return len(self.ids)

    def full_texts(self) -> list[str]:
        """Document texts as METHOD defines them: title, blank line, text."""
        return [document_text(text, title) for text, title in zip(self.texts, self.titles, strict=True)]


def make_snapshot(
    cursor: duckdb.DuckDBPyConnection, corpus_id: str, principal: Principal, batch_id: str | None
) -> str | None:
    """Snapshot of the current documents within the caller's write transaction.

    The id of an equal set that is the latest already, or a new one; None for a corpus that never held a document.
    """
    runs = sql.run(cursor, "current_runs", corpus_id=corpus_id).fetchall()
    latest = sql.first(
        cursor,
        "SELECT snapshot_id, sequence, members_hash FROM snapshots WHERE corpus_id = ? ORDER BY sequence DESC LIMIT 1",
        [corpus_id],
    )
    if not runs and latest is None:
        return None
    text = ",".join(f"{first}-{last}" for first, last in runs)
    members_hash = hashlib.sha256(text.encode()).hexdigest()
    if latest is not None and latest[2] == members_hash:
        return str(latest[0])
    sequence = latest[1] + 1 if latest else 1
    snapshot_id = derived_id("snap", corpus_id, str(sequence), members_hash)
    cursor.execute(
        "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            snapshot_id,
            corpus_id,
            sequence,
            latest[0] if latest else None,
            batch_id,
            sum(last - first + 1 for first, last in runs),
            members_hash,
            utc_now(),
            principal.identity,
        ],
    )
    sql.insert(
        cursor,
        "snapshot_members",
        pa.table(
            {
                "snapshot_id": pa.array([snapshot_id] * len(runs), pa.string()),
                "first_version": pa.array([first for first, _ in runs], pa.int64()),
                "last_version": pa.array([last for _, last in runs], pa.int64()),
            }
        ),
    )
    return snapshot_id


def snapshot_row(cursor: duckdb.DuckDBPyConnection, snapshot: str, principal: Principal) -> dict[str, Any]:
    """Row of one snapshot with its corpus name.

    Raises
    ------
    InputError
        unknown, or without a member the caller may see.
    """
    found = sql.row(cursor, "snapshot", snapshot_id=snapshot, **principal.scope())
    if found is None:
        raise InputError(f"no snapshot {snapshot!r}", where="snapshot", do="list them: ragsieve ingest shows the id")
    return found


def member_versions(cursor: duckdb.DuckDBPyConnection, snapshot: str, principal: Principal) -> NDArray[np.int64]:
    """Version ids of the members the caller may see, int64, ascending."""
    found = sql.table(cursor, "member_versions", snapshot_id=snapshot, **principal.scope())
    versions: NDArray[np.int64] = found["version_id"].to_numpy()
    return versions


def list_snapshots(wh: Warehouse, corpus: str, *, principal: Principal) -> list[Snapshot]:
    """Snapshots of a corpus (name or id), latest first."""
    from warehouse.corpora import get_corpus

    corpus_id = get_corpus(wh, corpus, principal=principal).corpus_id
    with wh.reading() as cursor:
        return [Snapshot(**entry) for entry in sql.rows(cursor, "snapshots", corpus_id=corpus_id)]


def latest_snapshot(wh: Warehouse, corpus: str, *, principal: Principal) -> Snapshot | None:
    """The corpus's last snapshot, or None while it is empty."""
    found = list_snapshots(wh, corpus, principal=principal)
    return found[0] if found else None


def load_snapshot(
    wh: Warehouse, snapshot: str, *, principal: Principal, encoder: str | None = None, texts: bool = True
) -> SnapshotDocuments:
    """Everything a detector needs of a snapshot.

    Parameters
    ----------
    encoder : key whose vectors are wanted.
    texts : False leaves the texts out.

    Raises
    ------
    InputError
        unknown snapshot.
    StorageError
        an embedding file is gone.
    """
    with wh.reading() as cursor:
        entry = snapshot_row(cursor, snapshot, principal)
        scope = principal.scope()
        found = sql.table(cursor, "snapshot_documents", snapshot_id=snapshot, texts=texts, **scope)
        versions: NDArray[np.int64] = found["version_id"].to_numpy()
        matrix, missing = None, np.empty(0, dtype=np.int64)
        if encoder is not None:
            matrix, missing = embeddings.gather(cursor, wh.side, encoder, versions)
    return SnapshotDocuments(
        snapshot=snapshot,
        corpus=str(entry["corpus"]),
        corpus_id=str(entry["corpus_id"]),
        version_ids=versions,
        ids=found["document_id"].to_pylist(),
        texts=found["text"].to_pylist() if texts else [],
        titles=found["title"].to_pylist(),
        sources=found["source"].to_pylist(),
        tenants=found["tenant"].to_pylist(),
        content_hashes=found["content_hash"].to_pylist(),
        embeddings=matrix,
        missing=missing,
        acls=found["acl"].to_pylist(),
    )
