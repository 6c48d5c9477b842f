"""Canary replay through the real retriever: the snapshot is searched again with what the publication leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.services.asking import DEPTH
from ragsieve_core.errors import InputError
from ragsieve_core.publication import InForce
from ragsieve_core.retrieve import ExactIndex
from warehouse.canary import CanaryQuery, CanaryReport, Replay, Replayed, run_canary, stored_ranking
from warehouse.database import Warehouse
from warehouse.principal import Principal
from warehouse.snapshots import latest_snapshot, load_snapshot

if TYPE_CHECKING:
    from ragsieve_core.models.roles import Retriever


def searching(wh: Warehouse, retriever: Retriever, principal: Principal) -> Replay:
    """A replay that encodes each question and searches the latest snapshot of its corpus.

    The latest, not the one the event had: the check is whether the document can be reached now. A question whose text
    was not kept, or whose corpus has no vectors of this retriever, falls back to the stored ranking, and says so.
    """

    def replay(queries: Sequence[CanaryQuery], in_force: InForce) -> list[Replayed]:
        fallback = stored_ranking(queries, in_force)
        found: list[Replayed] = list(fallback)
        for corpus in sorted({query.corpus for query in queries}):
            places = [p for p, query in enumerate(queries) if query.corpus == corpus and query.query_text]
            index, why = _index(wh, corpus, retriever.key, principal)
            if index is None or not places:
                for place, query in enumerate(queries):
                    if query.corpus == corpus:
                        found[place] = Replayed(fallback[place].ranking, "stored_ranking", why or "no question text")
                continue
            ids, search = index
            hidden = np.array([bool(in_force.excluded_by(corpus, name)) for name in ids], dtype=np.bool_)
            vectors = retriever.encode([str(queries[place].query_text) for place in places], kind="query")
            for place, vector in zip(places, vectors, strict=True):
                hits = search.search(vector, DEPTH, hidden)
                found[place] = Replayed([ids[row] for row in hits.rows], "retrieval")
        return found

    return replay


def _index(
    wh: Warehouse, corpus: str, encoder: str, principal: Principal
) -> tuple[tuple[list[str], ExactIndex] | None, str]:
    latest = latest_snapshot(wh, corpus, principal=principal)
    if latest is None:
        return None, "the corpus has no snapshot"
    try:
        held = load_snapshot(wh, latest.snapshot_id, principal=principal, encoder=encoder, texts=False)
    except InputError as error:
        return None, error.what
    if held.embeddings is None:
        return None, "the snapshot lacks vectors of this retriever"
    ids = [str(name) for name in held.ids]
    return (ids, ExactIndex(np.asarray(held.embeddings), ids)), ""


def verify_version(
    wh: Warehouse, quarantine_id: str, *, principal: Principal, retriever: Retriever | None = None
) -> CanaryReport:
    """Run the canary of a version; without a retriever over the stored rankings."""
    replay = searching(wh, retriever, principal) if retriever is not None else stored_ranking
    return run_canary(wh, quarantine_id, principal=principal, replay=replay)
