"""A snapshot as a gate searches it, and what each caller may see of it."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.gate.frequencies import ViewFrequencies
from ragsieve_core.publication import InForce
from ragsieve_core.retrieve import ExactIndex, Hits
from ragsieve_core.rsq.calibrated.frequencies import DocumentFrequencies

_VIEWS = 256


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks.

    Attributes
    ----------
    tenant : the one tenant whose documents exist for this caller; None = all.
    groups : group labels; a document with an access list needs one of them. None = not stated: access lists hide
        nothing, which only :meth:`Gate.filter` allows.
    """

    tenant: str | None = None
    groups: frozenset[str] | None = frozenset()


class View:
    """What one caller may see of a corpus.

    Attributes
    ----------
    visible : bool (N,).
    """

    def __init__(self, corpus: GateCorpus, caller: Caller, visible: NDArray[np.bool_]) -> None:
        self.caller = caller
        self.visible = visible
        self._corpus = corpus
        self._label = ""
        self._frequencies: DocumentFrequencies | None = None

    @property
    def label(self) -> str:
        """Name of the snapshot for this caller: its id, or for one tenant a hash over that tenant's documents alone.

        The snapshot's own id changes with documents of others.
        """
        if self.caller.tenant is None:
            return self._corpus.snapshot
        if not self._label:
            rows = np.flatnonzero(self.visible).tolist()
            lines = sorted(f"{self._corpus.ids[row]}\x1f{self._corpus.content_hashes[row]}" for row in rows)
            digest = hashlib.sha256("\x1e".join([self._corpus.corpus, *lines]).encode("utf-8", "surrogatepass"))
            self._label = f"view_{digest.hexdigest()[:16]}"
        return self._label

    @property
    def frequencies(self) -> DocumentFrequencies:
        """Weights of words, counted over documents the caller may see; made at the first use."""
        if self._frequencies is None:
            self._frequencies = self._corpus.frequencies.of(self.caller.tenant, self.visible)
        return self._frequencies

    def row(self, document_id: str) -> int | None:
        """Row of a document the caller may see, None for any other id."""
        found = self._corpus.row_of.get(document_id)
        return found if found is not None and self.visible[found] else None


@dataclass(frozen=True, slots=True)
class Barred:
    """What is in force, as rows: bool (N,) each."""

    quarantined_or_held: NDArray[np.bool_]
    unadmitted: NDArray[np.bool_]


class GateCorpus:
    """Documents of one snapshot in fixed order, with the vectors of one encoder. Safe to share between threads.

    Parameters
    ----------
    corpus, snapshot : name and id.
    ids, texts, content_hashes, tenants : N entries; texts as METHOD defines the document text.
    acls : N entries, group labels of each document; an empty one lets every group in. Empty altogether = none has any.
    vectors : float32 (N, d), unit rows, may be memory-mapped; None where the caller's own retriever ranks.
    encoder : key of the encoder behind the vectors.
    superseded : ids that a later snapshot holds no more in this version; never retrieved.
    version_ids : int64 (N,), the warehouse's names of the versions; None where they are not known.

    Raises
    ------
    InputError : lengths that differ, or an id twice.
    """

    def __init__(
        self,
        corpus: str,
        snapshot: str,
        ids: Sequence[str],
        texts: Sequence[str],
        content_hashes: Sequence[str],
        tenants: Sequence[str],
        *,
        acls: Sequence[Sequence[str]] = (),
        vectors: NDArray[np.float32] | None = None,
        encoder: str = "",
        superseded: Set[str] = frozenset(),
        version_ids: NDArray[np.int64] | None = None,
    ) -> None:
        count = len(ids)
        for name, column in (("texts", texts), ("content_hashes", content_hashes), ("tenants", tenants)):
            if len(column) != count:
                raise InputError(f"{len(column)} entries and {count} ids", where=name, expected="one per document")
        if acls and len(acls) != count:
            raise InputError(f"{len(acls)} entries and {count} ids", where="acls", expected="one per document, or none")
        self.corpus, self.snapshot, self.encoder = corpus, snapshot, encoder
        self.ids, self.texts, self.content_hashes = ids, texts, content_hashes
        self.row_of = {name: row for row, name in enumerate(ids)}
        if len(self.row_of) != count:
            raise InputError("a document id twice in the snapshot", where=snapshot, expected="each id once")
        self.version_ids = version_ids
        self._tenants = np.array(tenants, dtype=object)
        self.frequencies = ViewFrequencies(texts, self._tenants)
        self._guarded = [(row, frozenset(acl)) for row, acl in enumerate(acls) if acl]
        self.superseded = np.zeros(count, dtype=np.bool_)
        for name in superseded:
            row = self.row_of.get(name)
            if row is not None:
                self.superseded[row] = True
        self._index = None if vectors is None else ExactIndex(vectors, ids)
        self._guard = threading.Lock()
        self._views: OrderedDict[Caller, View] = OrderedDict()
        self._barred: tuple[int, Barred, list[tuple[int, datetime]]] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def searchable(self) -> bool:
        """True where vectors are there."""
        return self._index is not None

    def view(self, caller: Caller) -> View:
        """What a caller may see; remembered for the last 256 callers."""
        with self._guard:
            found = self._views.get(caller)
            if found is not None:
                self._views.move_to_end(caller)
                return found
        count = len(self.ids)
        visible = np.ones(count, dtype=np.bool_) if caller.tenant is None else self._tenants == caller.tenant
        visible = visible.astype(np.bool_)
        if caller.groups is not None:
            for row, acl in self._guarded:
                if not acl & caller.groups:
                    visible[row] = False
        made = View(self, caller, visible)
        with self._guard:
            self._views[caller] = made
            if len(self._views) > _VIEWS:
                self._views.popitem(last=False)
        return made

    def barred(self, in_force: InForce, now: datetime | None = None) -> Barred:
        """Rows of what is in force at ``now`` (UTC)."""
        with self._guard:
            known = self._barred
        if known is None or known[0] != in_force.number:
            quarantined, unadmitted = (np.zeros(len(self.ids), dtype=np.bool_) for _ in range(2))
            for names, mask in ((in_force.quarantined, quarantined), (in_force.unadmitted, unadmitted)):
                for corpus, name in names:
                    row = self.row_of.get(name) if corpus == self.corpus else None
                    if row is not None:
                        mask[row] = True
            held = [
                (self.row_of[name], end)
                for (corpus, name), end in in_force.held.items()
                if corpus == self.corpus and name in self.row_of
            ]
            known = (in_force.number, Barred(quarantined, unadmitted), held)
            with self._guard:
                self._barred = known
        _, barred, holds = known
        moment = now or datetime.now(UTC)
        live = [row for row, end in holds if moment < end]
        if not live:
            return barred
        gone = barred.quarantined_or_held.copy()
        gone[live] = True
        return Barred(gone, barred.unadmitted)

    def search(self, query: NDArray[np.float32], depth: int, view: View, barred: Barred) -> Hits:
        """The ``depth`` nearest documents a caller may be given, and among them what is quarantined or held.

        Hidden, superseded and unadmitted documents leave inside the search; see :meth:`ExactIndex.search_marked`.

        Raises
        ------
        InputError : a corpus without vectors, or a query vector of another length.
        """
        if self._index is None:
            raise InputError(
                f"the snapshot of {self.corpus!r} was opened without vectors",
                expected="a snapshot whose documents were all encoded",
                do="rank with your own retriever and use filter, or encode the corpus: ragsieve scan --corpus NAME",
            )
        hidden = ~view.visible
        hidden |= self.superseded
        hidden |= barred.unadmitted
        return self._index.search_marked(query, depth, hidden, barred.quarantined_or_held)
