"""The warehouse for a command that owns it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.services.access import empty_corpus, read_published
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.publication import InForce as Published
from warehouse.alerts import QueueFilter, queue_page
from warehouse.database import Warehouse
from warehouse.embeddings import add_embeddings
from warehouse.encoders import list_encoders
from warehouse.events import exposure, list_events, record_events
from warehouse.ingest import ingest
from warehouse.labels import record_labels
from warehouse.principal import Principal
from warehouse.publish import ensure_published
from warehouse.records import EncoderSpec, EventRecord, LabelRecord, ScanRecord
from warehouse.scans import find_scan, list_scans, record_scan, scan_neighbors
from warehouse.side import Side
from warehouse.snapshots import SnapshotDocuments, latest_snapshot, load_snapshot

UNDECIDED = ("open", "claimed", "waiting")
PAGE = 500


class OwnerAccess:
    """This process owns the warehouse."""

    def __init__(self, wh: Warehouse, principal: Principal) -> None:
        self.wh = wh
        self.principal = principal

    @property
    def knows_alerts(self) -> bool:
        """See :class:`Access`."""
        return True

    @property
    def side(self) -> Side:
        """See :class:`Access`."""
        return self.wh.side

    def ingest(
        self,
        corpus: str,
        batches: Iterable[RecordBatchColumns],
        *,
        embeddings: NDArray[np.float32] | None = None,
        encoder: EncoderSpec | None = None,
        batch_label: str = "",
        full: bool = False,
        input_name: str = "",
    ) -> Mapping[str, Any]:
        """See :class:`Access`."""
        return asdict(
            ingest(
                self.wh,
                corpus,
                batches,
                principal=self.principal,
                embeddings=embeddings,
                encoder=encoder,
                batch_label=batch_label,
                full=full,
                input_name=input_name,
            )
        )

    def snapshot(self, corpus: str, snapshot: str | None, encoder: str | None) -> SnapshotDocuments:
        """See :class:`Access`."""
        if snapshot is None:
            latest = latest_snapshot(self.wh, corpus, principal=self.principal)
            if latest is None:
                raise empty_corpus(corpus)
            snapshot = latest.snapshot_id
        return load_snapshot(self.wh, snapshot, principal=self.principal, encoder=encoder)

    def encoder_keys(self) -> frozenset[str]:
        """See :class:`Access`."""
        return frozenset(str(row["encoder_key"]) for row in list_encoders(self.wh, principal=self.principal))

    def add_vectors(
        self, snapshot: str, spec: EncoderSpec, versions: NDArray[np.int64], matrix: NDArray[np.float32]
    ) -> None:
        """See :class:`Access`."""
        add_embeddings(self.wh, snapshot, spec, matrix, principal=self.principal, version_ids=versions)

    def find_scan(self, **key: Any) -> Mapping[str, Any] | None:
        """See :class:`Access`."""
        return find_scan(self.wh, principal=self.principal, **key)

    def record_scan(self, scan: ScanRecord) -> Mapping[str, Any]:
        """See :class:`Access`."""
        return asdict(record_scan(self.wh, scan, principal=self.principal))

    def record_events(self, events: Sequence[EventRecord]) -> Mapping[str, Any]:
        """See :class:`Access`."""
        return asdict(record_events(self.wh, events, principal=self.principal))

    def record_labels(self, labels: Sequence[LabelRecord]) -> int | None:
        """See :class:`Access`."""
        return record_labels(self.wh, labels, principal=self.principal)

    def published(self) -> Published:
        """See :class:`Access`."""
        ensure_published(self.wh, principal=self.principal)
        return read_published(self.wh.path)

    def open_rsg_alerts(self, corpus: str) -> frozenset[str]:
        """See :class:`Access`."""
        wanted = QueueFilter(statuses=UNDECIDED, detectors=("rsg",), corpus=corpus)
        found: set[str] = set()
        offset = 0
        while True:
            page = queue_page(
                self.wh, principal=self.principal, filters=wanted, sort="opened_at", limit=PAGE, offset=offset
            )
            found |= {str(row["document_id"]) for row in page.rows}
            offset += PAGE
            if offset >= page.total:
                return frozenset(found)

    def retained_neighbors(self, corpus: str, versions: Sequence[int]) -> dict[int, frozenset[str]]:
        """See :class:`Access`."""
        scans = list_scans(self.wh, principal=self.principal, corpus=corpus)
        last = next((row for row in scans if row["detector"] == "rsg" and row["status"] == "finished"), None)
        if last is None or not versions:
            return {}
        # Under `calibrated` every document has a strongest group, most of them weak: only flagged fellows are evidence
        weak_too = last["rule"] == "paper"
        found: dict[int, set[str]] = {}
        for row in scan_neighbors(self.wh, str(last["scan_id"]), list(versions), principal=self.principal):
            if row["retained"] and (weak_too or row["flagged"]):
                found.setdefault(int(row["version_id"]), set()).add(str(row["document_id"]))
        return {version: frozenset(ids) for version, ids in found.items()}

    def exposure(self, corpus: str) -> Sequence[int] | None:
        """See :class:`Access`."""
        return exposure(self.wh, corpus, principal=self.principal)

    def answered(self, corpus: str, snapshot: str, rule: str) -> frozenset[str]:
        """See :class:`Access`."""
        found: set[str] = set()
        offset = 0
        while True:
            page = list_events(self.wh, principal=self.principal, corpus=corpus, limit=PAGE, offset=offset)
            found |= {
                str(row["query_id"])
                for row in page.rows
                if row["source"] == "query" and row["snapshot_id"] == snapshot and row["rule"] == rule
            }
            offset += PAGE
            if offset >= page.total:
                return frozenset(found)
