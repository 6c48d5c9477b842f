"""One way to the warehouse for every command: as its owner, or through the owner that is running.

One process owns the file. A command takes the lock if it is free; while a dashboard or another command holds it, what
the command reads are snapshot files the owner wrote, and what it produces goes through the inbox and comes back as a
receipt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from app.services.waiting import WAIT_S, Say
from ragsieve_core.errors import BusyError, InputError
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.publication import InForce as Published
from ragsieve_core.publication import PublicationReader
from warehouse.database import Warehouse
from warehouse.delivery import be_considerate
from warehouse.inbox import take_in
from warehouse.owner import resolve
from warehouse.principal import local_principal
from warehouse.records import EncoderSpec, EventRecord, LabelRecord, ScanRecord
from warehouse.side import Side
from warehouse.snapshots import SnapshotDocuments


class Access(Protocol):
    """What services ask of the warehouse, whoever owns it."""

    @property
    def knows_alerts(self) -> bool:
        """False where open alerts and retained neighbours cannot be read."""

    @property
    def side(self) -> Side:
        """What lies beside the warehouse: neighbour lists and blocks of scans are kept there by whoever scans."""

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
        """Take documents in; fields of :class:`warehouse.ingest.IngestResult`."""

    def snapshot(self, corpus: str, snapshot: str | None, encoder: str | None) -> SnapshotDocuments:
        """A snapshot (the latest by default) with the vectors of an encoder."""

    def encoder_keys(self) -> frozenset[str]:
        """Keys of the encoders vectors are stored of; empty where they cannot be listed."""

    def add_vectors(
        self, snapshot: str, spec: EncoderSpec, versions: NDArray[np.int64], matrix: NDArray[np.float32]
    ) -> None:
        """Store vectors of members."""

    def find_scan(self, **key: Any) -> Mapping[str, Any] | None:
        """The same scan, if it is known to be stored."""

    def record_scan(self, scan: ScanRecord) -> Mapping[str, Any]:
        """Store a scan; fields of :class:`warehouse.scans.RecordedScan`."""

    def record_events(self, events: Sequence[EventRecord]) -> Mapping[str, Any]:
        """Store events; fields of :class:`warehouse.events.RecordedEvents`."""

    def record_labels(self, labels: Sequence[LabelRecord]) -> int | None:
        """Store labels; None where they cannot be taken."""

    def published(self) -> Published:
        """Quarantine, holds and documents not admitted yet, as published."""

    def open_rsg_alerts(self, corpus: str) -> frozenset[str]:
        """Ids of documents with an undecided RSG alert; empty where not known."""

    def retained_neighbors(self, corpus: str, versions: Sequence[int]) -> dict[int, frozenset[str]]:
        """Version id -> ids of its retained neighbours in the last finished RSG scan; empty where not known."""

    def exposure(self, corpus: str) -> Sequence[int] | None:
        """Version ids that past rankings held among their first 20, most often first; None where not known."""

    def answered(self, corpus: str, snapshot: str, rule: str) -> frozenset[str]:
        """Query ids already answered from this snapshot under this rule."""


def empty_corpus(corpus: str) -> InputError:
    """The error for a corpus without documents."""
    return InputError(
        f"the corpus {corpus!r} holds no documents", do=f"take some in: ragsieve ingest --corpus {corpus} FILE"
    )


def read_published(path: Path) -> Published:
    """What the owner last published for other processes; nothing in force where it never did."""
    folder = Side(resolve(path)).root / "published"
    return PublicationReader(folder, missing="open").read().in_force


@contextmanager
def open_access(path: Path, *, command: str, say: Say, wait_s: float = WAIT_S) -> Iterator[Access]:
    """The warehouse as owner if it is free, else through its owner.

    Parameters
    ----------
    path : warehouse file; made on first use.
    command : name shown to whoever finds the warehouse held.
    say : takes one line for the person at the terminal.
    wait_s : seconds to wait for the owner to take in what is handed over.

    Raises
    ------
    BusyError : the owner did not take it in within that time; it stays in the inbox.
    """
    from app.services.inbox_access import InboxAccess
    from app.services.owner_access import OwnerAccess

    try:
        wh = Warehouse.open(path, command=command)
    except BusyError as busy:
        say(f"{busy.what}: working through it")
        be_considerate()
        yield InboxAccess(path, command, say, wait_s)
        return
    with wh:
        # What others left while nobody owned it goes in first, in the order in which it came
        take_in(wh)
        yield OwnerAccess(wh, local_principal())
