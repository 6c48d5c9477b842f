"""From candidates to neighbours: exact cosines, in two steps, and the order by cosine and document id."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.block_tasks import Hits
from ragsieve_core.rsg.rescoring import many_pair_cosines, pair_cosines, ranked
from ragsieve_core.rsg.screening import Screen

_SAME = 2.0**-23
"""Cosines closer than this may be one float32, and then the document id decides."""


def decide(
    vectors: NDArray[np.float32],
    screen: Screen,
    hits: Hits,
    searched: NDArray[np.int64],
    place: NDArray[np.int64],
    k: int,
    *,
    screened: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """k nearest of the rows that have candidates.

    The k best by approximate cosine get their exact one first; their smallest is a floor without the screening error,
    and only what can still reach it is computed as well.

    Parameters
    ----------
    vectors : float32 (N, d).
    screen : whose errors count.
    hits : candidates by row, falling; at least k of each row in it. Rows and columns count in ``searched``.
    searched : int64 (U,), row of the vectors of each column.
    place : int64 (N,), of each document id in the sorted ids.
    k : neighbours wanted.
    screened : int64, number in ``searched`` of each row of ``hits``, by default itself.

    Returns
    -------
    int64 (r, k) columns and float32 (r, k) cosines, for the r rows with candidates, increasing.
    """
    rows, first, held = np.unique(hits.row, return_index=True, return_counts=True)
    local = np.repeat(np.arange(rows.size), held)
    rank = np.arange(hits.row.size) - np.repeat(first, held)
    own = hits.row.astype(np.int64) if screened is None else screened[hits.row]
    left, right = searched[own], searched[hits.column]
    best = rank < k
    cosine = np.empty(hits.row.size, dtype=np.float32)
    cosine[best] = many_pair_cosines(vectors, left[best], right[best])
    floor = np.minimum.reduceat(cosine[best], np.flatnonzero(rank[best] == 0)).astype(np.float64) - _SAME
    error = screen.error[own[first]]
    cut = screen.value(screen.threshold(floor - error))
    late = ~best & (hits.value >= cut[local])
    cosine[late] = many_pair_cosines(vectors, left[late], right[late])
    known = best | late
    local, column, cosine, right = local[known], hits.column[known].astype(np.int64), cosine[known], right[known]
    order = ranked(local, cosine, place[right])
    start = np.searchsorted(local[order], np.arange(rows.size))
    take = order[start[:, None] + np.arange(k)]
    return column[take], cosine[take]


def decide_in_full(
    vectors: NDArray[np.float32],
    rows: NDArray[np.int64],
    searched: NDArray[np.int64],
    place: NDArray[np.int64],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """k nearest of ``rows`` from all cosines in float64: for rows with hundreds of neighbours closer than float32 sees.

    A float64 product differs from the one cosine by at most twice the error of a float64 sum; where that interval
    holds a border between two float32 numbers, the pair is computed again by :func:`pair_cosines`.

    Parameters and results as in :func:`decide`; ``rows`` are rows of the vectors.
    """
    out_column = np.empty((rows.size, k), dtype=np.int64)
    out_cosine = np.empty((rows.size, k), dtype=np.float32)
    for start in range(0, rows.size, _ROWS):
        part = rows[start : start + _ROWS]
        block = vectors[part].astype(np.float64)
        exact = np.empty((part.size, searched.size))
        for begin in range(0, searched.size, 4096):
            columns = slice(begin, begin + 4096)
            exact[:, columns] = block @ vectors[searched[columns]].astype(np.float64).T
        exact[searched[None, :] == part[:, None]] = -np.inf
        slack = 4 * vectors.shape[1] * 2.0**-53 * max(1.0, float(np.abs(block).sum(axis=1).max()))
        kth = np.partition(exact, searched.size - k, axis=1)[:, searched.size - k]
        local, column = np.nonzero(exact >= kth[:, None] - 2 * _SAME)
        value = exact[local, column]
        cosine = value.astype(np.float32)
        unsure = (value - slack).astype(np.float32) != (value + slack).astype(np.float32)
        cosine[unsure] = pair_cosines(vectors, part[local[unsure]], searched[column[unsure]])
        order = ranked(local, cosine, place[searched[column]])
        take = order[np.searchsorted(local[order], np.arange(part.size))[:, None] + np.arange(k)]
        out_column[start : start + _ROWS] = column[take]
        out_cosine[start : start + _ROWS] = cosine[take]
    return out_column, out_cosine


_ROWS = 64
