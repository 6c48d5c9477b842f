"""Neighbour lists after documents were added, changed or removed: what a full search gives, at the cost of the change.

New documents are searched among all; the same products say which kept documents they are near to. A removed document
leaves its place in the lists to the next ones, and a list is searched again only when it has become too short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.all_pairs import candidate_limit
from ragsieve_core.rsg.deciding import decide_in_full
from ragsieve_core.rsg.lists import Lists
from ragsieve_core.rsg.neighbor_state import NeighborState
from ragsieve_core.rsg.rescoring import id_order
from ragsieve_core.rsg.screening import Bf16Screen, Fp32Screen, Screen, has_bf16_units
from ragsieve_core.rsg.some_rows import search_rows
from ragsieve_core.rsg.twins import row_digests, twins


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What an update did.

    Attributes
    ----------
    fresh : documents that are new or whose vector changed.
    gone : documents of the previous state that are not there any more or changed.
    moved : kept documents into whose list a fresh one came.
    repaired : kept documents searched again since too few of their neighbours were left.
    """

    fresh: int
    gone: int
    moved: int
    repaired: int


def update_neighbors(
    previous: NeighborState, vectors: NDArray[np.float32], ids: Sequence[str], k: int, *, precision: str | None = None
) -> tuple[NeighborState, UpdateReport]:
    """State of the corpus as it is now, from the state it had.

    Parameters
    ----------
    previous : earlier state.
    vectors : float32 (N, d), unit rows, of all documents there are now, in any order.
    ids : their N distinct ids. A document is kept if a previous one has its id and exactly its vector.
    k : neighbours that must be known of every document, <= previous.depth.
    precision : of the screening; by default bf16 where the hardware has units for it.

    Returns
    -------
    the new state, whose ``neighbors(k)`` are those of a full search bit for bit, and what was done.

    Raises
    ------
    InputError : k above the depth of the previous state, vectors of another dimension, or fewer than two documents.
    """
    count = len(ids)
    if k > previous.depth or vectors.shape != (count, previous.vectors.shape[1]) or count < 2:
        raise InputError(
            f"{count} documents, vectors {vectors.shape}, {k} neighbours",
            expected=f"two documents or more, {previous.vectors.shape[1]} dimensions and at most {previous.depth} "
            "neighbours, as in the state",
        )
    known = {name: row for row, name in enumerate(previous.ids)}
    before = np.fromiter((known.get(name, -1) for name in ids), np.int64, count)
    _drop_changed(previous, vectors, before)
    fresh = np.flatnonzero(before < 0)
    place = id_order(ids)
    digests = np.empty(count, dtype=np.uint64)
    digests[before >= 0] = previous.digests[before[before >= 0]]
    digests[fresh] = row_digests(vectors[fresh])
    leader = twins(vectors, place, digests).leader
    lists = Lists.carried_over(previous, before, place)
    moved = 0
    searched = np.arange(count)
    screen: Screen | None = None
    if fresh.size:
        screen = _screen(vectors, precision)
        moved = lists.take_in(vectors, screen, fresh, leader)
    short = np.flatnonzero(lists.valid < min(k, count - 1))
    repaired = int((before[short] >= 0).sum())
    if short.size:
        screen = screen or _screen(vectors, precision)
        depth = lists.index.shape[1]
        column, cosine = lists.index.astype(np.int64), lists.cosine
        left = search_rows(vectors, screen, short, searched, place, depth, candidate_limit(depth), column, cosine)
        if left.size and screen.precision == "bf16":
            exact = Fp32Screen(vectors, None)
            left = search_rows(vectors, exact, left, searched, place, depth, candidate_limit(depth), column, cosine)
        if left.size:
            column[left], cosine[left] = decide_in_full(vectors, left, searched, place, depth)
        lists.index[short] = column[short]
        lists.valid[short] = depth
    state = NeighborState(tuple(ids), vectors, lists.index, lists.cosine, lists.valid, digests, previous.depth)
    gone = len(previous.ids) - int((before >= 0).sum())
    return state, UpdateReport(fresh.size, gone, moved, repaired)


def _screen(vectors: NDArray[np.float32], precision: str | None) -> Screen:
    chosen = precision or ("bf16" if has_bf16_units() else "fp32")
    return Bf16Screen(vectors, None) if chosen == "bf16" else Fp32Screen(vectors, None)


def _drop_changed(previous: NeighborState, vectors: NDArray[np.float32], before: NDArray[np.int64]) -> None:
    """-1 in ``before`` where the vector is not the one of the previous document."""
    kept = np.flatnonzero(before >= 0)
    for start in range(0, kept.size, _READ):
        rows = kept[start : start + _READ]
        now, then = _run(vectors, rows), _run(previous.vectors, before[rows])
        unequal = now.view(np.uint32) != then.view(np.uint32)
        if unequal.any():
            before[rows[unequal.any(axis=1)]] = -1


def _run(vectors: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Those rows; without a copy where they follow one another."""
    if rows[-1] - rows[0] == rows.size - 1 and (np.diff(rows) == 1).all():
        return np.ascontiguousarray(vectors[rows[0] : rows[-1] + 1])
    return vectors[rows]


_READ = 1024
