"""Documents into the warehouse: staged by column, compared by anti-join, committed whole.

accepted + duplicates + rejected = records, always. Nothing is visible before the commit.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from ragsieve_core.errors import InputError
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.rejected import Rejected, safe_raw
from warehouse import embeddings as vectors
from warehouse import publish, sql
from warehouse.database import Warehouse
from warehouse.ids import new_id, utc_now
from warehouse.ingest_commit import GivenVectors, IngestJob, settle
from warehouse.principal import Principal
from warehouse.records import EncoderSpec, Floats
from warehouse.staging import CREATE, Staged, stage_batch
from warehouse.tickets import Ticket

_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class IngestResult:
    """Counts and names of one ingest.

    Attributes
    ----------
    accepted, duplicates, rejected : their sum is the number of records read.
    snapshot : id after the ingest; None while the corpus is empty.
    rejects_file : JSON Lines of what was rejected, None if nothing was.
    documents : members of the snapshot.
    tombstoned : documents that a full ingest no longer held.
    full_refused : True where ``full`` was asked for but records were rejected, so that absence proves nothing.
    embedded : vectors stored.
    seconds : wall time.
    rejects : the first 1,000 rejected records.
    admission : policy of the corpus: at_once, after_scan or after_review.
    """

    accepted: int
    duplicates: int
    rejected: int
    snapshot: str | None
    rejects_file: Path | None
    documents: int
    tombstoned: int
    full_refused: bool
    embedded: int
    seconds: float
    batch: str
    rejects: Sequence[Rejected]
    admission: str = "at_once"

    @property
    def records(self) -> int:
        """Records read."""
        return self.accepted + self.duplicates + self.rejected


def ingest(
    wh: Warehouse,
    corpus: str,
    batches: Iterable[RecordBatchColumns],
    *,
    principal: Principal,
    embeddings: Floats | None = None,
    encoder: EncoderSpec | None = None,
    batch_label: str = "",
    full: bool = False,
    input_name: str = "",
    ticket: Ticket | None = None,
) -> IngestResult:
    """Take documents into a corpus, made on first use, in one transaction.

    A record equal to the current version of its id, or to an earlier record of the input, is a duplicate. Another text
    or provenance under a known id is a new version. The same id with other content twice in one input: the later
    one is rejected, because which is meant cannot be known. Reading and hashing happen outside the write lock.

    Parameters
    ----------
    batches : column batches of a reader; a list of theirs may be empty where the field is absent.
    embeddings : float (records, d), row i for record i of the input, rejected ones counted. Needs ``encoder``. Vectors
        can instead come in the batches' ``embeddings``.
    full : the input is the whole corpus: what it lacks is tombstoned, unless a record was rejected.

    Raises
    ------
    InputError
        vectors without an encoder, of another shape, or not finite.
    PermissionRefusedError
        below reviewer.
    """
    principal.require("reviewer", "ingest documents")
    if embeddings is not None and encoder is None:
        raise InputError(
            "vectors without the encoder that made them", where="encoder", do="give --encoder KEY with --embeddings"
        )
    started, clock = utc_now(), time.perf_counter()
    with contextlib.closing(wh.cursor()) as cursor:
        cursor.execute(CREATE)
        staged = Staged()
        for batch in batches:
            stage_batch(cursor, batch, staged, principal, batch_label)
        _reject_ambiguous(cursor, staged)
        _reject_reserved(cursor, staged, corpus, principal)
        given = _vectors(embeddings, encoder, staged)
        if given is not None:
            # Written before the write lock is taken: the file is found by its hash and is nobody's until registered.
            vectors.write_segment(wh.side, given.encoder.key, given.matrix)
        batch_id = new_id("batch")
        rejects_file = _write_rejects(wh, batch_id, staged.rejected)
        job = IngestJob(corpus, batch_id, batch_label, input_name, started, full, rejects_file, ticket, given)
        result = wh.run_transaction(lambda inner: settle(wh, inner, job, staged, principal), cursor=cursor)
    publish.refresh_guarded(wh, result["corpus_id"], principal=principal)
    return IngestResult(
        accepted=result["accepted"],
        duplicates=result["duplicates"],
        rejected=len(staged.rejected),
        snapshot=result["snapshot"],
        rejects_file=rejects_file,
        documents=result["documents"],
        tombstoned=result["tombstoned"],
        full_refused=full and bool(staged.rejected),
        embedded=result["embedded"],
        seconds=time.perf_counter() - clock,
        batch=batch_id,
        rejects=tuple(staged.rejected[:_SHOWN]),
        admission=result["admission"],
    )


def _reject_ambiguous(cursor: duckdb.DuckDBPyConnection, staged: Staged) -> None:
    """Reject later records that give an id of this input other content; equal ones stay and count as duplicates."""
    for entry in sql.rows(cursor, "stage_ambiguous"):
        reason = f"the id was given other content by record {entry['first_ordinal'] + 1} of this input"
        staged.rejected.append(_rejected(entry, reason, "one record per id"))
    sql.run(cursor, "stage_drop_ambiguous")


def _reject_reserved(cursor: duckdb.DuckDBPyConnection, staged: Staged, corpus: str, principal: Principal) -> None:
    """Reject ids that a tenant outside the caller's set holds: taking them would end that tenant's document."""
    if principal.tenants is None:
        return
    scope: dict[str, Any] = {"corpus": corpus, "tenants": sorted(principal.tenants)}
    for entry in sql.rows(cursor, "stage_reserved", **scope):
        staged.rejected.append(_rejected(entry, "the id is reserved in this corpus", "another id"))
        cursor.execute("DELETE FROM stage WHERE ordinal = ?", [entry["ordinal"]])


def _rejected(entry: dict[str, Any], reason: str, expected: str) -> Rejected:
    return Rejected(
        entry["file"], entry["line"], "id", reason, expected, safe_raw(entry["document_id"]), entry["ordinal"]
    )


def _vectors(matrix: Floats | None, encoder: EncoderSpec | None, staged: Staged) -> GivenVectors | None:
    if encoder is None:
        if staged.vectors:
            raise InputError(
                "the input holds vectors, but not which encoder made them", where="encoder", do="give --encoder KEY"
            )
        return None
    if matrix is not None:
        checked = vectors.check_matrix(matrix, staged.records, encoder.dimension)
        return GivenVectors(encoder, np.arange(staged.records), checked)
    if not staged.vectors:
        return None
    ordinals = np.concatenate([block[0] for block in staged.vectors])
    joined = np.concatenate([block[1] for block in staged.vectors])
    return GivenVectors(encoder, ordinals, vectors.check_matrix(joined, len(ordinals), encoder.dimension, "embedding"))


def _write_rejects(wh: Warehouse, batch_id: str, rejected: Sequence[Rejected]) -> Path | None:
    if not rejected:
        return None
    target = wh.side.folder("rejects") / f"{batch_id}.rejects.jsonl"
    with wh.side.writing(target) as stream:
        for record in rejected:
            stream.write(json.dumps(asdict(record), ensure_ascii=True).encode() + b"\n")
    return target
