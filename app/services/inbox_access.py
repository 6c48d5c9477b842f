"""The warehouse for a command while another process owns it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.services.access import empty_corpus, read_published
from app.services.deliveries import as_new_delivery
from app.services.waiting import WAIT_S, Say, waiting
from ragsieve_core.errors import BusyError, InputError
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.publication import InForce as Published
from warehouse import delivery, segment_kinds
from warehouse.inbox import Receipt
from warehouse.owner import resolve
from warehouse.records import EncoderSpec, EventRecord, LabelRecord, ScanRecord
from warehouse.side import Side
from warehouse.snapshots import SnapshotDocuments

ANSWER_S = 20.0
"""Seconds the dashboard is given to say which documents were exposed: warming can do without."""


class InboxAccess:
    """Another process owns the warehouse: read its snapshot files, hand results over, wait for receipts."""

    def __init__(self, path: Path, command: str, say: Say, wait_s: float = WAIT_S) -> None:
        self._path = path
        self._wait_s = wait_s
        self._command = command
        self._say = say

    def _deliver(self, data: bytes) -> Mapping[str, Any]:
        with waiting(self._say) as on_wait:
            receipt = delivery.deliver(self._path, data, command=self._command, wait_s=self._wait_s, on_wait=on_wait)
        return taken(receipt)

    @property
    def knows_alerts(self) -> bool:
        """See :class:`Access`."""
        return False

    @property
    def side(self) -> Side:
        """See :class:`Access`."""
        return Side(resolve(self._path))

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
        data = segment_kinds.documents_segment(
            corpus,
            batches,
            embeddings=embeddings,
            encoder=encoder,
            batch_label=batch_label,
            full=full,
            input_name=input_name,
        )
        return self._deliver(as_new_delivery(data))

    def snapshot(self, corpus: str, snapshot: str | None, encoder: str | None) -> SnapshotDocuments:
        """See :class:`Access`."""
        with waiting(self._say) as on_wait:
            found, receipt = delivery.fetch_snapshot(
                self._path,
                command=self._command,
                corpus=corpus,
                snapshot=snapshot or "",
                encoder=encoder,
                wait_s=self._wait_s,
                on_wait=on_wait,
            )
        taken(receipt)
        if found is None:
            raise empty_corpus(corpus)
        return found

    def encoder_keys(self) -> frozenset[str]:
        """See :class:`Access`."""
        return frozenset()

    def add_vectors(
        self, snapshot: str, spec: EncoderSpec, versions: NDArray[np.int64], matrix: NDArray[np.float32]
    ) -> None:
        """See :class:`Access`."""
        self._deliver(segment_kinds.embeddings_segment(snapshot, spec, versions, matrix))

    def find_scan(self, **key: Any) -> Mapping[str, Any] | None:
        """See :class:`Access`. Asked of the owner: reading the answer is cheaper than the scan."""
        found: Mapping[str, Any] | None = self._deliver(segment_kinds.scan_request(**key))["scan"]
        return found

    def record_scan(self, scan: ScanRecord) -> Mapping[str, Any]:
        """See :class:`Access`."""
        return self._deliver(segment_kinds.scan_segment(scan))

    def record_events(self, events: Sequence[EventRecord]) -> Mapping[str, Any]:
        """See :class:`Access`."""
        return self._deliver(segment_kinds.events_segment(events))

    def record_labels(self, labels: Sequence[LabelRecord]) -> int | None:
        """See :class:`Access`. The inbox takes data, and a label is a statement about data."""
        return None if labels else 0

    def published(self) -> Published:
        """See :class:`Access`."""
        return read_published(self._path)

    def open_rsg_alerts(self, corpus: str) -> frozenset[str]:
        """See :class:`Access`."""
        return frozenset()

    def retained_neighbors(self, corpus: str, versions: Sequence[int]) -> dict[int, frozenset[str]]:
        """See :class:`Access`."""
        return {}

    def exposure(self, corpus: str) -> Sequence[int] | None:
        """See :class:`Access`. The dashboard answers; another command that owns the warehouse does not."""
        from app.services.owner_jobs import run_job

        try:
            answer = run_job(
                self._path,
                "exposure",
                {"corpus": corpus},
                command=self._command,
                say=self._say,
                patience_s=min(self._wait_s, ANSWER_S),
            )
        except BusyError:
            return None
        return [int(version) for version in answer["versions"]]

    def answered(self, corpus: str, snapshot: str, rule: str) -> frozenset[str]:
        """See :class:`Access`."""
        return frozenset()


def taken(receipt: Receipt) -> Mapping[str, Any]:
    """Result of a receipt.

    Raises
    ------
    InputError : the owner refused the segment, with its reason.
    """
    if receipt.state != "taken":
        raise InputError(f"the owner refused it ({receipt.reason}): {receipt.message}", where=receipt.kind)
    return receipt.result
