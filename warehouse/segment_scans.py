"""Scans to segments and back."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse.records import CampaignRecord, CopyRecord, NeighborColumns, ScanRecord
from warehouse.segments import Segment, encode

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
