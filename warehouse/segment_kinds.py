"""Records of :mod:`warehouse.records` to segments and back, one pair per kind."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.rejected import Rejected
from warehouse.ids import canonical_json
from warehouse.records import (
    AnswerRecord,
    CampaignRecord,
    CandidateRecord,
    CopyRecord,
    EncoderSpec,
    EventRecord,
    Floats,
    Integers,
    NeighborColumns,
    RankedRecord,
    ScanRecord,
)
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
EVENTS = pa.schema([("event", pa.string())])
ANSWERS = pa.schema(
    [
        ("corpus", pa.string()),
        ("event_id", pa.string()),
        ("answer_id", pa.string()),
        ("cited", pa.list_(pa.string())),
        ("answered_at", pa.string()),
        ("tenant", pa.string()),
    ]
)
_SCORES: dict[str, pa.DataType] = {
    "version_id": pa.int64(),
    "score": pa.float64(),
    "flagged": pa.bool_(),
    "floor": pa.float64(),
    "eligible_neighbors": pa.int32(),
    "density": pa.float64(),
    "tail_probability": pa.float64(),
    "integrity": pa.float64(),
    "topology_score": pa.float64(),
    "campaign": pa.int32(),
    "detail": pa.string(),
}
_NEIGHBORS: dict[str, pa.DataType] = {
    "position": pa.int64(),
    "cosine": pa.float64(),
    "jaccard": pa.float64(),
    "retained": pa.bool_(),
    "reason": pa.int32(),
}
_CAMPAIGNS = pa.schema(
    [
        ("number", pa.int32()),
        ("evidence", pa.float64()),
        ("expected_number", pa.float64()),
        ("shared_words", pa.list_(pa.string())),
        ("context", pa.list_(pa.int64())),
    ]
)
_COPIES = pa.schema(
    [
        ("kind", pa.string()),
        ("members", pa.list_(pa.int64())),
        ("exact", pa.int32()),
        ("least_jaccard", pa.float64()),
        ("own_share", pa.float64()),
    ]
)
_SCAN_FIELDS = (
    "corpus", "snapshot", "detector", "rule", "config", "config_key", "threshold", "code_version", "seconds",
    "encoder", "model_versions", "state", "summary",
)  # fmt: skip


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


def scan_segment(scan: ScanRecord) -> bytes:
    """What :func:`warehouse.scans.record_scan` takes, as a segment."""
    columns = {"version_id": scan.version_ids}
    columns |= {name: getattr(scan, name) for name in _SCORES if name != "version_id"}
    present = {name: values for name, values in columns.items() if values is not None}
    tables = {"scores": pa.table({n: pa.array(_column(v), _SCORES[n]) for n, v in present.items()})}
    fields: dict[str, object] = {name: getattr(scan, name) for name in _SCAN_FIELDS}
    fields |= {name: dict(getattr(scan, name)) for name in ("config", "model_versions", "summary")}
    fields["started_at"] = scan.started_at.isoformat()
    if scan.neighbors is not None:
        given = scan.neighbors
        k = int(np.asarray(given.position).shape[1])
        fields |= {"k": k, "reasons": list(given.reasons)}
        matrices = {name: getattr(given, name) for name in _NEIGHBORS if getattr(given, name) is not None}
        tables["neighbors"] = pa.table(
            {
                name: pa.FixedSizeListArray.from_arrays(pa.array(np.asarray(m).reshape(-1), _NEIGHBORS[name]), k)
                for name, m in matrices.items()
            }
        )
    if scan.campaigns:
        tables["campaigns"] = pa.Table.from_pylist([asdict(one) for one in scan.campaigns], schema=_CAMPAIGNS)
    if scan.copies:
        tables["copies"] = pa.Table.from_pylist([asdict(one) for one in scan.copies], schema=_COPIES)
    return encode("scan", fields, tables)


def _column(values: Any) -> Any:
    return values if isinstance(values, list | tuple) else np.asarray(values)


def _rows(segment: Segment, name: str, schema: pa.Schema) -> list[dict[str, Any]]:
    """Rows of a table of nested columns, lists as tuples."""
    rows = segment.table(name, schema).to_pylist()
    return [{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()} for row in rows]


def read_scan(segment: Segment) -> ScanRecord:
    """The scan."""
    fields = segment.fields
    found = segment.tables["scores"].schema.names
    table = segment.table("scores", pa.schema([(name, _SCORES[name]) for name in found]))
    columns: dict[str, Any] = {name: table[name].to_numpy() for name in found if name != "detail"}
    if "detail" in found:
        columns["detail"] = table["detail"].to_pylist()
    neighbors = None
    if "neighbors" in segment.tables:
        k = int(fields["k"])
        names = segment.tables["neighbors"].schema.names
        lists = segment.table("neighbors", pa.schema([(name, pa.list_(_NEIGHBORS[name], k)) for name in names]))
        matrices: dict[str, Any] = {
            name: lists[name].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(-1, k) for name in names
        }
        neighbors = NeighborColumns(reasons=tuple(map(str, fields["reasons"])), **matrices)
    scalars: dict[str, Any] = {name: fields[name] for name in _SCAN_FIELDS}
    return ScanRecord(
        started_at=datetime.fromisoformat(fields["started_at"]),
        version_ids=columns.pop("version_id"),
        neighbors=neighbors,
        campaigns=tuple(CampaignRecord(**row) for row in _rows(segment, "campaigns", _CAMPAIGNS)),
        copies=tuple(CopyRecord(**row) for row in _rows(segment, "copies", _COPIES)),
        **scalars,
        **columns,
    )


def events_segment(events: Sequence[EventRecord], answers: Sequence[AnswerRecord] = ()) -> bytes:
    """What :func:`warehouse.events.record_events` takes, as a segment."""
    tables = {"events": pa.table({"event": [_event_text(event) for event in events]}, schema=EVENTS)}
    if answers:
        rows = [
            asdict(answer) | {"cited": list(answer.cited), "answered_at": answer.answered_at.isoformat()}
            for answer in answers
        ]
        tables["answers"] = pa.Table.from_pylist(rows, schema=ANSWERS)
    return encode("events", {}, tables)


def _event_text(event: EventRecord) -> str:
    fields = asdict(event)
    if event.occurred_at is not None:
        fields["occurred_at"] = event.occurred_at.isoformat()
    return canonical_json(fields)


def read_events(segment: Segment) -> list[EventRecord]:
    """The events in order."""
    return [_event(json.loads(text)) for text in segment.table("events", EVENTS)["event"].to_pylist()]


def read_answers(segment: Segment) -> list[AnswerRecord]:
    """The answers in order; none in a segment of events alone."""
    rows = segment.table("answers", ANSWERS).to_pylist()
    return [AnswerRecord(**row | {"answered_at": datetime.fromisoformat(row["answered_at"])}) for row in rows]


def _event(fields: dict[str, Any]) -> EventRecord:
    fields["ranking"] = [RankedRecord(**entry) for entry in fields["ranking"]]
    fields["candidates"] = [CandidateRecord(**entry) for entry in fields["candidates"]]
    if fields.get("occurred_at"):
        fields["occurred_at"] = datetime.fromisoformat(fields["occurred_at"])
    return EventRecord(**fields)


def scan_request(**key: str | None) -> bytes:
    """Ask the owner whether an equal scan is stored; the arguments are those of ``find_scan``."""
    return encode("request", {"want": "scan", **key, "nonce": secrets.token_hex(8)}, {})


def snapshot_request(corpus: str = "", snapshot: str = "", encoder: str | None = None) -> bytes:
    """Ask the owner to write a snapshot's files; a nonce makes every question another segment."""
    fields = {"want": "snapshot", "corpus": corpus, "snapshot": snapshot, "encoder": encoder}
    return encode("request", fields | {"nonce": secrets.token_hex(8)}, {})
