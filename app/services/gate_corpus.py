"""The snapshot a gate works with, read beside whoever owns the warehouse, and renewed when a later one is there."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from app.services.access import Access, empty_corpus
from app.services.waiting import WAIT_S, Say
from ragsieve_core.errors import BusyError, InputError, RagsieveError
from ragsieve_core.gate import Gate, GateCorpus
from ragsieve_core.models.roles import Progress
from warehouse import delivery
from warehouse.database import Warehouse
from warehouse.inbox import take_in
from warehouse.owner import resolve
from warehouse.principal import local_principal
from warehouse.publish import ensure_published
from warehouse.segment_kinds import snapshot_request
from warehouse.side import Side
from warehouse.snapshots import SnapshotDocuments

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

_log = logging.getLogger("ragsieve.gate")
COMMAND = "serve --gate"


@contextmanager
def gate_access(path: Path, say: Say, wait_s: float = WAIT_S) -> Iterator[Access]:
    """The warehouse for a moment: as owner if it is free, so that something is published, else through its owner.

    Unlike :func:`app.services.access.open_access` this leaves the process its priority: requests wait for it.
    """
    from app.services.inbox_access import InboxAccess
    from app.services.owner_access import OwnerAccess

    if not path.exists():
        raise InputError("no warehouse", where=str(path), do="make one: ragsieve ingest --corpus NAME FILE")
    try:
        wh = Warehouse.open(path, command=COMMAND)
    except BusyError as busy:
        say(f"{busy.what}: working through it")
        yield InboxAccess(path, COMMAND, say, wait_s)
        return
    with wh:
        take_in(wh)
        ensure_published(wh, principal=local_principal())
        yield OwnerAccess(wh, local_principal())


def load_gate_corpus(
    access: Access,
    corpus: str,
    models: LoadedModels | None,
    *,
    snapshot: str | None = None,
    progress: Progress | None = None,
) -> GateCorpus:
    """A snapshot (the latest by default) for a gate; with ``models`` its vectors too, encoded where they are missing.

    Raises
    ------
    InputError : an empty corpus, or vectors of another encoder than the profile's.
    """
    from app.services.vectors import embedded_snapshot

    if models is None:
        found = access.snapshot(corpus, snapshot, None)
        made = _corpus(found, access, snapshot)
    else:
        embedded = embedded_snapshot(
            access, corpus, models, snapshot=snapshot, encoder=models.retriever.key, progress=progress
        )
        found = embedded.documents
        made = _corpus(found, access, snapshot, embedded.encoder)
    if len(found) == 0:
        raise empty_corpus(corpus)
    return made


def _corpus(found: SnapshotDocuments, access: Access, pinned: str | None, encoder: str = "") -> GateCorpus:
    superseded: frozenset[str] = frozenset()
    if pinned is not None:
        latest = access.snapshot(found.corpus, None, None)
        current = set(latest.version_ids.tolist())
        superseded = frozenset(
            name for name, version in zip(found.ids, found.version_ids.tolist(), strict=True) if version not in current
        )
    return GateCorpus(
        found.corpus,
        found.snapshot,
        list(found.ids),
        found.full_texts(),
        list(found.content_hashes),
        list(found.tenants),
        acls=found.acls,
        vectors=found.embeddings if encoder else None,
        encoder=encoder,
        superseded=superseded,
        version_ids=found.version_ids,
    )


def latest_id(path: Path, corpus: str, encoder: str | None) -> str:
    """Id of the latest snapshot, asked of whoever owns the warehouse; its documents are not read.

    Raises
    ------
    BusyError : the owner did not answer in time.
    InputError : no such corpus, or an empty one.
    """
    from app.services.inbox_access import taken

    receipt = delivery.deliver(path, snapshot_request(corpus, "", encoder), command=COMMAND, wait_s=30.0)
    return str(taken(receipt)["snapshot"])


class Renewal:
    """A thread that gives a gate the latest snapshot while it works; what fails leaves the one it has.

    Parameters
    ----------
    load : reads the corpus anew.
    latest : id of the latest snapshot.
    interval_s : seconds between looks; a look costs nothing while the warehouse's files have not changed.
    """

    def __init__(
        self,
        gate: Gate,
        warehouse: Path,
        load: Callable[[], GateCorpus],
        latest: Callable[[], str],
        interval_s: float,
    ) -> None:
        self._gate, self._load, self._latest, self._interval = gate, load, latest, interval_s
        self._known = latest()
        self._side = Side(resolve(warehouse))
        self._stop = threading.Event()
        self._seen = self._mark()
        self.problem = ""
        self._thread = threading.Thread(target=self._run, name="ragsieve-gate-renewal", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; a look in work is finished."""
        self._stop.set()
        self._thread.join()

    def _mark(self) -> tuple[tuple[int, int], ...]:
        marks = []
        for file in (self._side.database, self._side.wal):
            try:
                status = file.stat()
                marks.append((status.st_mtime_ns, status.st_size))
            except OSError:
                marks.append((0, 0))
        return tuple(marks)

    def _run(self) -> None:
        while not self._stop.wait(self._interval):
            mark = self._mark()
            if mark == self._seen:
                continue
            try:
                latest = self._latest()
                if latest != self._known:
                    fresh = self._load()
                    self._gate.corpus, self._known = fresh, latest
                    _log.warning("now on snapshot %s with %d documents", fresh.snapshot, len(fresh))
            except (RagsieveError, OSError) as error:
                self.problem = str(error).splitlines()[0]
                _log.warning("the snapshot could not be renewed: %s", error)
                continue
            self.problem, self._seen = "", mark
