"""Neighbour lists after documents were added, changed or removed: what a full search gives, at the cost of the change.

New documents are searched among all; the same products say which kept documents they are near to. A removed document
leaves its place in the lists to the next ones, and a list is searched again only when it has become too short.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.all_pairs import candidate_limit
from ragsieve_core.rsg.deciding import decide_in_full
from ragsieve_core.rsg.lists import Lists
from ragsieve_core.rsg.neighbor_state import NeighborState
from ragsieve_core.rsg.products import certified_products
from ragsieve_core.rsg.rescoring import id_order
from ragsieve_core.rsg.screening import (
    Bf16Screen,
    Fp32Screen,
    PassingBf16Screen,
    PassingFp32Screen,
    Screen,
    has_bf16_units,
    norm_bounds,
    rounding_bounds,
)
from ragsieve_core.rsg.some_rows import search_rows
from ragsieve_core.rsg.twins import row_digests, twins
from ragsieve_core.workers import run_tasks


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
    if now_is_then(previous, vectors, ids) and int(previous.valid.min(initial=count)) >= min(k, count - 1):
        return previous, UpdateReport(0, 0, 0, 0)
    before, at_end = _rows_before(previous.ids, ids)
    _drop_changed(previous, vectors, before)
    fresh = np.flatnonzero(before < 0)
    place = _place(previous, ids) if at_end else id_order(ids)
    digests = np.empty(count, dtype=np.uint64)
    digests[before >= 0] = previous.digests[before[before >= 0]]
    digests[fresh] = row_digests(vectors[fresh])
    norms = _bounds(norm_bounds, previous.norms, previous.vectors, vectors, before)
    residues = _bounds(rounding_bounds, previous.residues, previous.vectors, vectors, before)
    leader = twins(vectors, place, digests).leader
    lists = Lists.carried_over(previous, before, place)
    moved = 0
    searched = np.arange(count)
    screen: Screen | None = None
    with ExitStack() as held:

        def chosen(rows: int) -> Screen:
            made = _screen(vectors, norms, residues, rows, precision)
            if made.of_torch:
                held.enter_context(certified_products())
            return made

        if fresh.size:
            screen = chosen(fresh.size)
            moved = lists.take_in(vectors, screen, fresh, leader)
        short = np.flatnonzero(lists.valid < min(k, count - 1))
        repaired = int((before[short] >= 0).sum())
        if short.size:
            if screen is None or short.size > _PASSING:
                screen = chosen(short.size)
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
    state = NeighborState(
        tuple(ids), vectors, lists.index, lists.cosine, lists.valid, digests, previous.depth, place, norms, residues
    )
    gone = len(previous.ids) - int((before >= 0).sum())
    return state, UpdateReport(fresh.size, gone, moved, repaired)


def now_is_then(previous: NeighborState, vectors: NDArray[np.float32], ids: Sequence[str]) -> bool:
    """Whether the corpus is, row by row, the very one of the state."""
    return vectors is previous.vectors and len(ids) == len(previous.ids) and tuple(ids) == previous.ids


def _rows_before(then: tuple[str, ...], now: Sequence[str]) -> tuple[NDArray[np.int64], bool]:
    """Earlier row of each id or -1, and whether all that is new stands behind all that was there."""
    count = len(then)
    if tuple(now[:count]) == then:
        return np.concatenate([np.arange(count), np.full(len(now) - count, -1)]), True
    known = {name: row for row, name in enumerate(then)}
    return np.fromiter((known.get(name, -1) for name in now), np.int64, len(now)), False


def _place(previous: NeighborState, ids: Sequence[str]) -> NDArray[np.int64]:
    """:func:`id_order` of ids that begin with the previous ones: the new ones are put between them."""
    count = len(previous.ids)
    place = id_order(previous.ids) if previous.place is None else previous.place
    by_id = np.empty(count, dtype=np.int64)
    by_id[place] = np.arange(count)
    order = by_id.tolist()
    added = sorted(range(count, len(ids)), key=lambda row: ids[row])
    spots = np.array([bisect_left(order, ids[row], key=lambda one: ids[one]) for row in added], dtype=np.int64)
    out = np.empty(len(ids), dtype=np.int64)
    out[:count] = place + np.searchsorted(spots, place, side="right")
    out[added] = spots + np.arange(spots.size)
    return out


def _bounds(
    measure: Callable[[NDArray[np.float32]], NDArray[np.float64]],
    known: NDArray[np.float64] | None,
    then: NDArray[np.float32],
    now: NDArray[np.float32],
    before: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Bounds of the rows of now: those of kept rows as they were known, of the others measured."""
    kept = before >= 0
    out = np.empty(before.size)
    out[kept] = (measure(then) if known is None else known)[before[kept]]
    out[~kept] = measure(now[~kept])
    return out


def _screen(
    vectors: NDArray[np.float32],
    norms: NDArray[np.float64],
    residues: NDArray[np.float64],
    rows: int,
    precision: str | None,
) -> Screen:
    few = rows <= _PASSING and rows * vectors.size <= _FEW
    if precision is None and few and "torch" not in sys.modules:
        return PassingFp32Screen(vectors, norms)
    if (precision or ("bf16" if has_bf16_units() else "fp32")) != "bf16":
        return PassingFp32Screen(vectors, norms) if few else Fp32Screen(vectors, None)
    return PassingBf16Screen(vectors, norms, residues) if rows <= _PASSING else Bf16Screen(vectors, None)


_FEW = 10**10
"""Multiplications that numpy does in less time than torch takes to load."""

_PASSING = 2048
"""Rows searched from which rounding all vectors once is cheaper than rounding them for each of two blocks of rows."""


def _drop_changed(previous: NeighborState, vectors: NDArray[np.float32], before: NDArray[np.int64]) -> None:
    """-1 in ``before`` where the vector is not the one of the previous document."""
    if _shared(previous.vectors, vectors) and before[before >= 0].size == len(previous.ids):
        leading = np.arange(len(previous.ids))
        if np.array_equal(before[: leading.size], leading):
            return
    kept = np.flatnonzero(before >= 0)
    unequal = np.zeros(kept.size, dtype=bool)

    def compare(start: int) -> None:
        rows = kept[start : start + _READ]
        now, then = _run(vectors, rows), _run(previous.vectors, before[rows])
        unequal[start : start + _READ] = (now.view(np.uint32) != then.view(np.uint32)).any(axis=1)

    deque(run_tasks(compare, range(0, kept.size, _READ)), maxlen=0)
    before[kept[unequal]] = -1


def _shared(then: NDArray[np.float32], now: NDArray[np.float32]) -> bool:
    """Whether the rows of then are the first rows of now, in the same memory: nothing to compare."""
    one, other = then.__array_interface__, now.__array_interface__
    return bool(one["data"][0] == other["data"][0] and then.strides == now.strides and then.shape[1] == now.shape[1])


def _run(vectors: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Those rows; without a copy where they follow one another."""
    if rows[-1] - rows[0] == rows.size - 1 and (np.diff(rows) == 1).all():
        return np.ascontiguousarray(vectors[rows[0] : rows[-1] + 1])
    return vectors[rows]


_READ = 256
