"""Scan records as Arrow tables, checked before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from ragsieve_core.errors import InputError
from warehouse.ids import canonical_json, utc_now
from warehouse.principal import Principal
from warehouse.records import Floats, Integers, NeighborColumns, ScanRecord

SCAN_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("scan_id", "scan_key", "corpus_id", "snapshot_id", "detector", "rule")),
        *((name, pa.string()) for name in ("config", "config_key", "encoder_key", "model_versions", "code_version")),
        ("threshold", pa.float64()),
        *((name, pa.string()) for name in ("status", "state")),
        ("documents", pa.int64()),
        ("flagged", pa.int64()),
        ("summary", pa.string()),
        ("started_at", pa.timestamp("us")),
        ("finished_at", pa.timestamp("us")),
        ("seconds", pa.float64()),
        *((name, pa.string()) for name in ("error", "actor", "segment_id")),
    ]
)


def scan_values(
    scan_id: str, key: str, corpus_id: str, scan: ScanRecord, principal: Principal, segment_id: str | None
) -> dict[str, object]:
    """Columns of one row of scans, ``flagged`` left out."""
    return {
        "scan_id": scan_id,
        "scan_key": key,
        "corpus_id": corpus_id,
        "snapshot_id": scan.snapshot,
        "detector": scan.detector,
        "rule": scan.rule,
        "config": canonical_json(dict(scan.config)),
        "config_key": scan.config_key,
        "encoder_key": scan.encoder,
        "model_versions": canonical_json(dict(scan.model_versions)),
        "code_version": scan.code_version,
        "threshold": scan.threshold,
        "status": "finished",
        "state": scan.state,
        "documents": len(scan.version_ids),
        "summary": canonical_json(dict(scan.summary)),
        "started_at": scan.started_at,
        "finished_at": utc_now(),
        "seconds": scan.seconds,
        "error": None,
        "actor": principal.identity,
        "segment_id": segment_id,
    }


_FLOATS = ("floor", "density", "tail_probability", "integrity", "topology_score")


def check_scan(scan: ScanRecord) -> None:
    """Raise InputError for arrays of unequal length, a version scored twice, or a score that is not finite."""
    count = len(scan.version_ids)
    arrays: dict[str, Any] = {name: getattr(scan, name) for name in _FLOATS}
    arrays |= {name: getattr(scan, name) for name in ("eligible_neighbors", "score", "flagged", "campaign", "detail")}
    for name, values in arrays.items():
        if values is not None and len(values) != count:
            raise InputError(f"{len(values)} values for {count} documents", where=f"scan field {name}")
    if len(np.unique(np.asarray(scan.version_ids))) != count:
        raise InputError("a version is scored twice", where="scan field version_ids")
    if not np.isfinite(np.asarray(scan.score, dtype=np.float64)).all():
        raise InputError("a score is not finite", where="scan field score")
    if scan.neighbors is not None and scan.neighbors.position.shape[0] != count:
        raise InputError(f"{scan.neighbors.position.shape[0]} rows for {count} documents", where="scan neighbours")


def score_table(scan_id: str, scan: ScanRecord, versions: Integers) -> pa.Table:
    """Rows of scan_scores, document id and tenant left to be joined."""
    count = len(versions)
    columns: dict[str, Any] = {
        "scan_id": pa.array([scan_id] * count, pa.string()),
        "version_id": pa.array(versions, pa.int64()),
        "score": pa.array(np.asarray(scan.score, dtype=np.float64)),
        "flagged": pa.array(np.asarray(scan.flagged, dtype=bool)),
    }
    for name in _FLOATS:
        values: Floats | None = getattr(scan, name)
        if values is not None:
            columns[name] = pa.array(np.asarray(values, dtype=np.float64))
    if scan.eligible_neighbors is not None:
        columns["eligible_neighbors"] = pa.array(np.asarray(scan.eligible_neighbors, dtype=np.int32))
    if scan.campaign is not None:
        # A number below zero means "in no group".
        numbers = np.asarray(scan.campaign, dtype=np.int32)
        columns["campaign"] = pa.array(numbers, mask=numbers < 0)
    if scan.detail is not None:
        columns["detail"] = pa.array(scan.detail, pa.string())
    return pa.table(columns)


def neighbor_table(scan_id: str, scan: ScanRecord, versions: Integers) -> pa.Table | None:
    """Rows of scan_neighbors, None where the detector has no neighbours."""
    given: NeighborColumns | None = scan.neighbors
    if given is None:
        return None
    rows, columns = np.nonzero(np.asarray(given.position) >= 0)
    retained = np.asarray(given.retained)[rows, columns]
    names = np.array(["", *given.reasons], dtype=object)
    codes = np.zeros(len(rows), dtype=np.int64)
    if given.reason is not None:
        codes = np.where(retained, 0, np.asarray(given.reason)[rows, columns] + 1)
    return pa.table(
        {
            "scan_id": pa.array([scan_id] * len(rows), pa.string()),
            "version_id": pa.array(versions[rows]),
            "position": pa.array((columns + 1).astype(np.int32)),
            "neighbor_id": pa.array(versions[np.asarray(given.position)[rows, columns]]),
            "cosine": pa.array(np.asarray(given.cosine, dtype=np.float64)[rows, columns]),
            "jaccard": pa.array(np.asarray(given.jaccard, dtype=np.float64)[rows, columns]),
            "retained": pa.array(retained),
            "reason": pa.array(names[codes], pa.string()),
        }
    )


def evidence_table(
    scan_id: str, scan: ScanRecord, versions: Integers, campaigns: Mapping[int, tuple[str, int]]
) -> pa.Table:
    """Flagged documents as :func:`warehouse.opening.feed` takes them; ``campaigns``: number -> id and size."""
    chosen = np.flatnonzero(scan.flagged)
    numbers = np.full(len(chosen), -1) if scan.campaign is None else np.asarray(scan.campaign)[chosen]
    groups = [campaigns.get(number, (None, None)) for number in numbers.tolist()]
    return pa.table(
        {
            "version_id": pa.array(versions[chosen]),
            "score": pa.array(np.asarray(scan.score, dtype=np.float64)[chosen]),
            "scan_id": pa.array([scan_id] * len(chosen), pa.string()),
            "event_id": pa.array([None] * len(chosen), pa.string()),
            "campaign": pa.array([name for name, _ in groups], pa.string()),
            "campaign_size": pa.array([size for _, size in groups], pa.int32()),
            "kinds": pa.array(_kinds(scan, chosen), pa.list_(pa.string())),
        }
    )


def _kinds(scan: ScanRecord, chosen: Integers) -> list[list[str]]:
    """What each flag rests on: isolation, integrity, or both."""
    topology = scan.score if scan.topology_score is None else scan.topology_score
    apart = np.asarray(topology, dtype=np.float64)[chosen] >= scan.threshold
    mixed = np.zeros(len(chosen), dtype=bool)
    if scan.integrity is not None:
        mixed = np.asarray(scan.integrity, dtype=np.float64)[chosen] >= scan.threshold
    return [
        [name for name, holds in (("isolation", one), ("integrity", other)) if holds]
        for one, other in zip(apart.tolist(), mixed.tolist(), strict=True)
    ]
