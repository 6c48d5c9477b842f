"""Erasing a document on request: text, provenance, evidence made of its words, vectors, exports. The chain stays whole.

What stays: ids, scores, ranks, decisions, and that it was erased. What this cannot reach: backups made before, rejects
files, and the free space of the file until ``compact``.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

from ragsieve_core.errors import InputError
from warehouse import audit, corpora, snapshots, sql
from warehouse.database import Warehouse
from warehouse.embeddings import write_segment
from warehouse.ids import new_id, utc_now
from warehouse.principal import Principal
from warehouse.reading_files import drop_reading


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was erased; ``remaining`` names in words what is out of reach."""

    erasure_id: str
    versions: int
    vectors: int
    exports: int
    snapshot: str | None
    remaining: tuple[str, ...]


def erasable_hashes(wh: Warehouse, corpus: str, document_id: str, *, principal: Principal) -> list[str]:
    """Content hashes of every version of a document: what else is kept of these texts has to go before they do."""
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id
    with wh.reading() as cursor:
        found = sql.rows(cursor, "erasable_versions", corpus_id=corpus_id, document_id=document_id, **principal.scope())
    return sorted({str(row["content_hash"]) for row in found if row["content_hash"]})


def erase_document(wh: Warehouse, corpus: str, document_id: str, *, principal: Principal, reason: str) -> Erasure:
    """Erase every version of a document, ingested or seen in events.

    Parameters
    ----------
    reason : a code or ticket; it goes into the audit log, so that it must hold no personal data.

    Raises
    ------
    InputError
        no such document.
    """
    principal.require_person("admin", "erase a document")
    if not reason.strip() or len(reason) > 200:
        raise InputError("an erasure without a reason code", where="reason", expected="1 to 200 characters")
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id
    old_files: list[Path] = []

    def work(cursor: duckdb.DuckDBPyConnection) -> Erasure:
        old_files.clear()
        found = sql.rows(cursor, "erasable_versions", corpus_id=corpus_id, document_id=document_id, **principal.scope())
        if not found:
            raise InputError(f"no document {document_id!r}", where="document")
        versions = [int(row["version_id"]) for row in found]
        erasure_id, now = new_id("erasure"), utc_now()
        for name in (
            "erase_versions",
            "erase_candidates",
            "erase_alerts",
            "erase_current",
            "erase_admissions",
            "erase_members",
            "erase_campaigns",
        ):
            sql.run(
                cursor, name, versions=versions, corpus_id=corpus_id, document_id=document_id, erasure_id=erasure_id
            ).complete()
        sql.run(cursor, "erase_salts", versions=versions).complete()
        current = sql.row(cursor, "document", corpus_id=corpus_id, document_id=document_id, **principal.scope())
        if current is not None:
            cursor.execute(
                "INSERT INTO document_tombstones VALUES (?, ?, ?, 'erased', NULL, ?, ?)",
                [corpus_id, document_id, current["version_id"], now, principal.identity],
            ).complete()
        vectors = _erase_vectors(wh, cursor, versions, old_files)
        snapshot = snapshots.make_snapshot(cursor, corpus_id, principal, None)
        cursor.execute(
            "INSERT INTO erasures VALUES (?, ?, ?, ?, ?, ?, ?)",
            [erasure_id, corpus_id, document_id, len(versions), reason, now, principal.identity],
        ).complete()
        audit.append(
            cursor,
            principal.identity,
            "erased",
            erasure_id,
            {
                "corpus": corpus_id,
                "versions": len(versions),
                "vectors": vectors,
                "reason": reason,
                "snapshot": snapshot,
            },
        )
        remaining = (
            "backups made before this moment",
            "rejects files",
            "free space of the file until: ragsieve compact",
        )
        return Erasure(erasure_id, len(versions), vectors, 0, snapshot, remaining)

    with wh.maintaining:
        # No one may copy a member or an admission while its hash is being blanked.
        done = wh.run_transaction(work, alone=True)
        for file in old_files:
            file.unlink(missing_ok=True)
        exports = _drop_exports(wh, corpus_id)
        drop_reading(wh.side, corpus_id)
    wh.checkpoint()
    return Erasure(done.erasure_id, done.versions, done.vectors, exports, done.snapshot, done.remaining)


def _erase_vectors(wh: Warehouse, cursor: duckdb.DuckDBPyConnection, versions: list[int], old_files: list[Path]) -> int:
    """Rewrite every file that holds a vector of these versions with a fixed unit vector in its place; register it.

    A vector tells much of its text, so that it must go; the row stays, so that the others keep their places.
    """
    places = sql.rows(cursor, "erasable_vectors", versions=versions)
    for segment_id in sorted({str(row["segment_id"]) for row in places}):
        entry = sql.first(cursor, "SELECT encoder_key, file FROM embedding_segments WHERE segment_id = ?", [segment_id])
        if entry is None:
            continue
        path = wh.side.root / str(entry[1])
        matrix = np.load(path, allow_pickle=False)
        rows = [int(row["row"]) for row in places if row["segment_id"] == segment_id]
        matrix[rows] = 0.0
        matrix[rows, 0] = 1.0
        fresh, target, size = write_segment(wh.side, str(entry[0]), matrix)
        if fresh == segment_id:
            continue
        for table in ("embedding_segments", "embedding_rows"):
            cursor.execute(f"UPDATE {table} SET segment_id = ? WHERE segment_id = ?", [fresh, segment_id]).complete()
        cursor.execute(
            "UPDATE embedding_segments SET file = ?, bytes = ? WHERE segment_id = ?",
            [wh.side.relative(target), size, fresh],
        ).complete()
        old_files.append(path)
    return len(places)


def _drop_exports(wh: Warehouse, corpus_id: str) -> int:
    dropped = 0
    for folder in wh.side.folder("snapshots").iterdir():
        manifest = folder / "manifest.json"
        try:
            ours = json.loads(manifest.read_text(encoding="utf-8"))["corpus_id"] == corpus_id
        except (OSError, ValueError, KeyError):
            ours = True
        if ours:
            manifest.unlink(missing_ok=True)
            shutil.rmtree(folder)
            dropped += 1
    return dropped
