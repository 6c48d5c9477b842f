"""Documents and vectors to segments and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.rejected import Rejected
from warehouse.records import EncoderSpec, Floats, Integers
from warehouse.segments import Segment, encode, refused_segment

_TEXTS = (
    "id",
    "text",
    "title",
    "source_uri",
    "parent",
    "contributor",
    "tenant",
    "licence",
    "batch",
    "metadata",
    "file",
)
DOCUMENTS = pa.schema(
    [
        *((name, pa.string()) for name in _TEXTS),
        ("acl", pa.list_(pa.string())),
        ("line", pa.int64()),
        ("ordinal", pa.int64()),
    ]
)
REJECTED = pa.schema(
    [
        ("file", pa.string()),
        ("line", pa.int64()),
        ("field", pa.string()),
        ("reason", pa.string()),
        ("expected", pa.string()),
        ("raw", pa.string()),
        ("ordinal", pa.int64()),
    ]
)


def _vectors(matrix: Floats, key: str, numbers: Integers) -> pa.Table:
    values = np.ascontiguousarray(matrix, dtype=np.float32)
    lists = pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])
    return pa.table({key: pa.array(np.asarray(numbers, dtype=np.int64)), "vector": lists})


def _matrix(segment: Segment, key: str, dimension: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    schema = pa.schema([(key, pa.int64()), ("vector", pa.list_(pa.float32(), dimension))])
    table = segment.table("vectors", schema).combine_chunks()
    column = table["vector"].combine_chunks()
    values = column.flatten().to_numpy(zero_copy_only=False).astype(np.float32, copy=False)
    return table[key].to_numpy(), values.reshape(-1, dimension)


def documents_segment(
    corpus: str,
    batches: Iterable[RecordBatchColumns],
    *,
    embeddings: Floats | None = None,
    encoder: EncoderSpec | None = None,
    batch_label: str = "",
    full: bool = False,
    input_name: str = "",
) -> bytes:
    """What :func:`warehouse.ingest.ingest` takes, as a segment; the arguments mean the same."""
    columns: dict[str, list[Any]] = {name: [] for name in DOCUMENTS.names}
    rejected: list[Rejected] = []
    vectors: list[tuple[Integers, Floats]] = []
    seen = 0
    for batch in batches:
        count = len(batch.id)
        ordinals = batch.ordinal or list(range(seen, seen + count))
        for name in _TEXTS:
            columns[name].extend(getattr(batch, name) or [""] * count)
        columns["acl"].extend(list(labels or ()) for labels in (batch.acl or [()] * count))
        columns["line"].extend(batch.line or [number + 1 for number in ordinals])
        columns["ordinal"].extend(ordinals)
        rejected.extend(batch.rejected)
        seen += count + len(batch.rejected)
        if batch.embeddings is not None:
            vectors.append((np.asarray(ordinals), batch.embeddings))
    tables = {
        "documents": pa.table(columns, schema=DOCUMENTS),
        "rejected": pa.Table.from_pylist([asdict(record) for record in rejected], schema=REJECTED),
    }
    if embeddings is not None:
        vectors = [(np.arange(len(embeddings)), embeddings)]
    if vectors:
        numbers = np.concatenate([block[0] for block in vectors])
        tables["vectors"] = _vectors(np.concatenate([block[1] for block in vectors]), "ordinal", numbers)
    fields = {
        "corpus": corpus,
        "batch_label": batch_label,
        "full": full,
        "input_name": input_name,
        "encoder": asdict(encoder) if encoder else None,
    }
    return encode("documents", fields, tables)


def read_documents(segment: Segment) -> tuple[RecordBatchColumns, EncoderSpec | None]:
    """One batch with everything of the segment, and the encoder of its vectors."""
    table = segment.table("documents", DOCUMENTS)
    columns = {name: table[name].to_pylist() for name in DOCUMENTS.names}
    if any(value is None for values in columns.values() for value in values):
        raise refused_segment("a document with a null field")
    columns["acl"] = [tuple(labels) for labels in columns["acl"]]
    batch = RecordBatchColumns(**columns)
    batch.rejected = [Rejected(**entry) for entry in segment.table("rejected", REJECTED).to_pylist()]
    encoder = _encoder(segment.fields.get("encoder"))
    if encoder is not None and "vectors" in segment.tables:
        ordinals, matrix = _matrix(segment, "ordinal", encoder.dimension)
        batch.embeddings = np.full((len(batch), encoder.dimension), np.nan, dtype=np.float32)
        place = {ordinal: row for row, ordinal in enumerate(batch.ordinal)}
        rows = [(place[number], row) for row, number in enumerate(ordinals.tolist()) if number in place]
        batch.embeddings[[row for row, _ in rows]] = matrix[[row for _, row in rows]]
    return batch, encoder


def _encoder(fields: Mapping[str, Any] | None) -> EncoderSpec | None:
    if fields is None:
        return None
    return EncoderSpec(str(fields["key"]), str(fields["name"]), int(fields["dimension"]), dict(fields["parameters"]))


def embeddings_segment(snapshot: str, encoder: EncoderSpec, version_ids: Integers, matrix: Floats) -> bytes:
    """What :func:`warehouse.embeddings.add_embeddings` takes, as a segment."""
    fields = {"snapshot": snapshot, "encoder": asdict(encoder)}
    return encode("embeddings", fields, {"vectors": _vectors(matrix, "version_id", version_ids)})


def read_embeddings(segment: Segment) -> tuple[str, EncoderSpec, NDArray[np.int64], NDArray[np.float32]]:
    """Snapshot, encoder, version ids and vectors."""
    encoder = _encoder(segment.fields["encoder"])
    if encoder is None:
        raise refused_segment("vectors without an encoder")
    numbers, matrix = _matrix(segment, "version_id", encoder.dimension)
    return str(segment.fields["snapshot"]), encoder, numbers, matrix
