"""Small inputs whose numbers can be counted by hand."""

from __future__ import annotations

import numpy as np

from ragsieve_core.formats.records import RecordBatchColumns
from warehouse.ids import utc_now
from warehouse.records import CandidateRecord, EventRecord, NeighborColumns, RankedRecord, ScanRecord


def documents(count: int, *, start: int = 0, word: str = "text", tenant: str = "") -> RecordBatchColumns:
    """Documents d0, d1, … with the text "<word> <number>"."""
    numbers = range(start, start + count)
    return RecordBatchColumns(
        id=[f"d{number}" for number in numbers],
        text=[f"{word} {number}" for number in numbers],
        tenant=[tenant] * count,
    )


def scan_of(snapshot: str, version_ids: np.ndarray, flagged: set[int], *, rule: str = "paper") -> ScanRecord:
    """A scan that flags these positions with 0.9 and gives the rest 0.1; a row's neighbours are the other rows."""
    count = len(version_ids)
    mask = np.isin(np.arange(count), list(flagged))
    k = min(2, count - 1)
    position = np.array([[other for other in range(count) if other != row][:k] for row in range(count)], dtype=int)
    neighbors = NeighborColumns(
        position=position.reshape(count, k),
        cosine=np.full((count, k), 0.5),
        jaccard=np.full((count, k), 0.25),
        retained=np.zeros((count, k), dtype=bool),
        reason=np.zeros((count, k), dtype=int),
        reasons=("cosine",),
    )
    return ScanRecord(
        corpus="c",
        snapshot=snapshot,
        detector="rsg",
        rule=rule,
        config={"k": k},
        config_key=f"key-{rule}",
        threshold=0.5,
        code_version="1",
        started_at=utc_now(),
        seconds=0.5,
        version_ids=version_ids,
        score=np.where(mask, 0.9, 0.1),
        flagged=mask,
        floor=np.full(count, 0.25),
        density=np.where(mask, 1.0, 0.0),
        neighbors=neighbors,
    )


def event_of(query: str, ids: list[str], flagged: set[str] = frozenset(), **changes: object) -> EventRecord:
    """An event over ranked ids; the first two are candidates, the first one is in the context."""
    return EventRecord(
        corpus="c",
        query=query,
        query_id=query,
        ranking=[RankedRecord(name, rank, 1 - rank / 100, in_context=rank == 1) for rank, name in enumerate(ids, 1)],
        candidates=[
            CandidateRecord(name, rank, 1.5 if name in flagged else 0.2, name in flagged, e_script=0.2)
            for rank, name in enumerate(ids[:2], 1)
        ],
        **changes,  # type: ignore[arg-type]
    )
