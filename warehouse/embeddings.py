"""Vectors as immutable, hashed .npy files; DuckDB holds which row belongs to which document version."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from warehouse import audit, encoders, sql
from warehouse.database import Warehouse
from warehouse.errors import StorageError
from warehouse.ids import utc_now
from warehouse.principal import Principal
from warehouse.records import EncoderSpec, Floats, Integers
from warehouse.side import Side
from warehouse.tickets import Ticket


@dataclass(frozen=True, slots=True)
class EmbeddingSegment:
    """One registered file: ``segment_id`` is the SHA-256 of its bytes, ``rows`` the vectors it holds."""

    segment_id: str
    rows: int
    file: str


def check_matrix(matrix: Floats, rows: int, dimension: int, where: str = "embeddings") -> NDArray[np.float32]:
    """The matrix as float32 (rows, dimension), C order, as given otherwise.

    Raises
    ------
    InputError
        another shape, a value that is not finite, or a vector of length zero (named by its row).
    """
    values = np.asarray(matrix)
    if values.ndim != 2 or values.shape != (rows, dimension):
        raise InputError(
            f"a matrix of shape {values.shape}", where=where, expected=f"({rows}, {dimension})", do="one row per record"
        )
    if not np.issubdtype(values.dtype, np.floating):
        raise InputError(f"values of type {values.dtype}", where=where, expected="floating point numbers")
    result = np.ascontiguousarray(values, dtype=np.float32)
    for start in range(0, rows, 8192):
        # The squared length shows NaN, infinity and zero in one pass over the block.
        block = result[start : start + 8192]
        squares = np.einsum("ij,ij->i", block, block, dtype=np.float64)
        wrong = np.flatnonzero(~np.isfinite(squares) | (squares == 0.0))
        if wrong.size:
            raise InputError(
                f"row {start + int(wrong[0])} (counted from 0) is zero or not finite",
                where=where,
                expected="finite vectors of positive length",
            )
    return result


def write_segment(
    side: Side, encoder_key: str, matrix: NDArray[np.float32], folder: Path | None = None
) -> tuple[str, Path, int]:
    """Write a matrix under its own hash; returns segment id, path and size in bytes. A known file is left as it is.

    ``folder`` defaults to the encoder's own.
    """
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(matrix))
    digest = hashlib.sha256(header.getvalue())
    digest.update(matrix.data.cast("B"))
    segment_id = digest.hexdigest()
    folder = folder or side.folder("embeddings") / hashlib.sha256(encoder_key.encode()).hexdigest()[:16]
    target = folder / f"{segment_id}.npy"
    if not target.exists():
        with side.writing(target) as stream:
            stream.write(header.getvalue())
            stream.write(matrix.data.cast("B"))
    return segment_id, target, len(header.getvalue()) + matrix.nbytes


def register(
    cursor: duckdb.DuckDBPyConnection,
    side: Side,
    encoder: EncoderSpec,
    corpus_id: str,
    version_ids: NDArray[np.int64],
    rows: NDArray[np.int64],
    matrix: NDArray[np.float32],
    principal: Principal,
) -> EmbeddingSegment | None:
    """Write and register vectors within the caller's write transaction; versions that have one already are left out.

    Parameters
    ----------
    version_ids : int64 (m,), without repetition.
    rows : int64 (m,), row of ``matrix`` for each of them.
    matrix : float32 (n, d), stored whole under its hash, so that it can be written before the transaction.
    """
    encoders.ensure(cursor, encoder, principal)
    present = held_versions(cursor, encoder.key, version_ids)
    order = np.argsort(version_ids, kind="stable")
    order = order[~np.isin(version_ids[order], present)]
    if order.size == 0:
        return None
    versions, places = version_ids[order], rows[order]
    segment_id, path, size = write_segment(side, encoder.key, matrix)
    # A run goes on while version and row both rise by one.
    breaks = (np.diff(versions, prepend=versions[0] - 2) != 1) | (np.diff(places, prepend=places[0] - 2) != 1)
    starts = np.flatnonzero(breaks)
    lengths = np.diff(starts, append=len(versions))
    sql.insert(
        cursor,
        "embedding_rows",
        pa.table(
            {
                "segment_id": pa.array([segment_id] * len(starts), pa.string()),
                "encoder_key": pa.array([encoder.key] * len(starts), pa.string()),
                "first_row": pa.array(places[starts]),
                "first_version": pa.array(versions[starts]),
                "row_count": pa.array(lengths.astype(np.int64)),
            }
        ),
    )
    known = sql.first(cursor, "SELECT 1 FROM embedding_segments WHERE segment_id = ?", [segment_id])
    if known is None:
        cursor.execute(
            "INSERT INTO embedding_segments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                segment_id,
                encoder.key,
                corpus_id,
                len(matrix),
                encoder.dimension,
                side.relative(path),
                size,
                utc_now(),
                principal.identity,
            ],
        )
    audit.append(
        cursor,
        principal.identity,
        "embeddings_added",
        segment_id,
        {"corpus": corpus_id, "encoder": encoder.key, "rows": len(versions)},
    )
    return EmbeddingSegment(segment_id, len(versions), side.relative(path))


def held_versions(
    cursor: duckdb.DuckDBPyConnection, encoder_key: str, version_ids: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Those of ``version_ids`` that have a vector of this encoder, ascending."""
    if len(version_ids) == 0:
        return np.empty(0, dtype=np.int64)
    cursor.register("wanted_versions", pa.table({"version_id": pa.array(version_ids, pa.int64())}))
    try:
        found = sql.table(cursor, "held_versions", encoder_key=encoder_key)
    finally:
        cursor.unregister("wanted_versions")
    versions: NDArray[np.int64] = found["version_id"].to_numpy()
    return versions


def add_embeddings(
    wh: Warehouse,
    snapshot: str,
    encoder: EncoderSpec,
    matrix: Floats,
    *,
    principal: Principal,
    version_ids: Integers | None = None,
    ticket: Ticket | None = None,
) -> EmbeddingSegment | None:
    """Store vectors for members of a snapshot; returns None when all of them had one.

    Parameters
    ----------
    matrix : float (m, d), one row per entry of ``version_ids``.
    version_ids : int (m,), members without repetition; default all members by rising version id, as ``load_snapshot``
        gives them.

    Raises
    ------
    InputError
        unknown snapshot, a version that is no member, or a matrix that does not fit.
    """
    principal.require("reviewer", "add embeddings")
    from warehouse.snapshots import member_versions, snapshot_row

    with wh.reading() as cursor:
        corpus_id = str(snapshot_row(cursor, snapshot, principal)["corpus_id"])
        members = member_versions(cursor, snapshot, principal)
    wanted = members if version_ids is None else np.asarray(version_ids, dtype=np.int64)
    if len(np.unique(wanted)) != len(wanted) or not np.isin(wanted, members).all():
        raise InputError("versions that are repeated or no members", where=f"snapshot {snapshot}")
    values = check_matrix(matrix, len(wanted), encoder.dimension)
    write_segment(wh.side, encoder.key, values)
    rows = np.arange(len(wanted), dtype=np.int64)

    def work(cursor: duckdb.DuckDBPyConnection) -> EmbeddingSegment | None:
        stored = register(cursor, wh.side, encoder, corpus_id, wanted, rows, values, principal)
        if ticket is not None:
            receipt = {"file": stored.file if stored else None, "rows": stored.rows if stored else 0}
            ticket.stamp(cursor, principal.identity, "taken", receipt)
        return stored

    return wh.run_transaction(work)


def gather(
    cursor: duckdb.DuckDBPyConnection, side: Side, encoder_key: str, version_ids: NDArray[np.int64]
) -> tuple[NDArray[np.float32] | None, NDArray[np.int64]]:
    """Vectors of ``version_ids`` (ascending) and the positions that lack one.

    A memory map where one file holds exactly these rows in this order, a copy else, None while any is missing.

    Raises
    ------
    StorageError
        a registered file is gone or has another shape.
    """
    cursor.register("wanted_versions", pa.table({"version_id": pa.array(version_ids, pa.int64())}))
    try:
        found = sql.table(cursor, "embedding_places", encoder_key=encoder_key)
    finally:
        cursor.unregister("wanted_versions")
    position = np.searchsorted(version_ids, found["version_id"].to_numpy())
    missing = np.setdiff1d(np.arange(len(version_ids)), position)
    if missing.size or len(version_ids) == 0:
        return None, missing
    segments = found["segment_id"].combine_chunks().dictionary_encode()
    codes, rows = segments.indices.to_numpy(), found["row"].to_numpy()
    maps = [_open_segment(cursor, side, name) for name in segments.dictionary.to_pylist()]
    if len(maps) == 1 and len(maps[0]) == len(version_ids) and np.array_equal(rows, np.arange(len(rows))):
        return maps[0], missing
    result = np.empty((len(version_ids), maps[0].shape[1]), dtype=np.float32)
    for code, source in enumerate(maps):
        chosen = codes == code
        result[position[chosen]] = source[rows[chosen]]
    return result, missing


def _open_segment(cursor: duckdb.DuckDBPyConnection, side: Side, segment_id: str) -> NDArray[np.float32]:
    entry = sql.first(cursor, "SELECT file, rows, dimension FROM embedding_segments WHERE segment_id = ?", [segment_id])
    if entry is None:
        raise StorageError(f"embedding segment {segment_id[:12]}… is not registered", do="run: ragsieve doctor")
    path = side.root / entry[0]
    try:
        values: NDArray[np.float32] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise StorageError(
            f"an embedding file is gone or unreadable ({error})", where=str(path), do="restore it from a backup"
        ) from error
    if values.shape != (entry[1], entry[2]) or values.dtype != np.float32:
        raise StorageError(
            f"an embedding file has shape {values.shape}", where=str(path), expected=f"({entry[1]}, {entry[2]})"
        )
    return values


def verify_segments(wh: Warehouse) -> list[str]:
    """Registered files that are gone or whose bytes no longer have their hash, one message each; reads all of them."""
    problems = []
    with wh.reading() as cursor:
        entries = cursor.execute("SELECT segment_id, file FROM embedding_segments ORDER BY file").fetchall()
    for segment_id, file in entries:
        path = wh.side.root / file
        try:
            with open(path, "rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            problems.append(f"{file}: {error.strerror}")
            continue
        if digest != segment_id:
            problems.append(f"{file}: its bytes have SHA-256 {digest[:12]}…, registered {segment_id[:12]}…")
    return problems
