"""Exact nearest neighbours by cosine, with final cosines that do not depend on how the search was cut up.

Two steps. A block search in float32 proposes every neighbour that could be among the k nearest, given the
rounding error that a float32 product of unit vectors can have. Then :func:`pair_cosines` gives each proposed
pair its one cosine, and only that decides. Any other search that proposes a superset ends in the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import Progress

PAIR_CHUNK = 65_536
"""Pairs whose products are held at once; bounds memory at 8 d bytes each."""


@dataclass(frozen=True, slots=True)
class Neighbors:
    """k nearest neighbours of each of N documents.

    Attributes
    ----------
    index : int32 (N, k), row of the neighbour, nearest first; equal cosines in order of document id.
    cosine : float32 (N, k), non-increasing along a row, in [-1, 1] up to rounding.
    """

    index: NDArray[np.int32]
    cosine: NDArray[np.float32]


def pair_cosines(
    vectors: NDArray[np.float32], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The one routine for a final cosine: products and their sum in float64, rounded once to float32.

    Symmetric in its two rows, and independent of block shape, order and threads: each pair is summed by itself,
    by numpy's pairwise summation over d.

    Parameters
    ----------
    vectors : float32 (N, d), unit rows.
    left, right : int (m,), rows of the pairs.

    Returns
    -------
    float32 (m,).
    """
    out = np.empty(left.shape[0], dtype=np.float32)
    for start in range(0, left.shape[0], PAIR_CHUNK):
        stop = start + PAIR_CHUNK
        products = vectors[left[start:stop]].astype(np.float64)
        products *= vectors[right[start:stop]]
        out[start:stop] = products.sum(axis=1)
    return out


def screening_error(dimension: int) -> float:
    """Bound on |float32 dot product - exact| for unit vectors: d u / (1 - d u), u = 2^-24, any order of summation.

    Source: Higham, Accuracy and Stability of Numerical Algorithms, section 3.1, with sum |x_i y_i| <= 1.
    """
    unit = dimension * 2.0**-24
    return unit / (1 - unit)


def id_order(ids: Sequence[str]) -> NDArray[np.int64]:
    """Position of each document id in the sorted list of ids, int64 (N,): the tie-break."""
    order = np.empty(len(ids), dtype=np.int64)
    order[sorted(range(len(ids)), key=lambda row: ids[row])] = np.arange(len(ids))
    return order


def nearest_neighbors(
    vectors: NDArray[np.float32],
    ids: Sequence[str],
    k: int,
    *,
    block: int = 1024,
    progress: Progress | None = None,
) -> Neighbors:
    """Exact k nearest neighbours of every row among the others.

    Parameters
    ----------
    vectors : float32 (N, d), unit rows, may be memory-mapped.
    ids : N document ids; decide ties.
    k : neighbours wanted; min(k, N - 1) are returned.
    block : rows searched at a time; memory is block * N * 4 bytes.
    progress : called with (rows done, N).

    Raises
    ------
    InputError : fewer than two documents.
    """
    count = vectors.shape[0]
    if count < 2:
        raise InputError(
            f"the corpus holds {count} document{'' if count == 1 else 's'}",
            expected="at least two documents: a neighbourhood needs a neighbour",
        )
    k = min(k, count - 1)
    order = id_order(ids)
    slack = np.float32(2.5 * screening_error(vectors.shape[1]) + 2.0**-23)
    index = np.empty((count, k), dtype=np.int32)
    cosine = np.empty((count, k), dtype=np.float32)
    transposed = np.ascontiguousarray(vectors).T
    for start in range(0, count, block):
        stop = min(start + block, count)
        rows = np.arange(start, stop)
        scores = vectors[start:stop] @ transposed
        scores[rows - start, rows] = -np.inf
        # The k-th largest screened score, less twice the screening error: nothing below can be among the k nearest
        cut = np.partition(scores, count - k, axis=1)[:, count - k] - slack
        left, right = np.nonzero(scores >= cut[:, None])
        left = left + start
        exact = pair_cosines(vectors, left, right)
        ranked = np.lexsort((order[right], -exact, left))
        left, right, exact = left[ranked], right[ranked], exact[ranked]
        first = np.searchsorted(left, rows)
        take = first[:, None] + np.arange(k)
        index[start:stop] = right[take]
        cosine[start:stop] = exact[take]
        if progress is not None:
            progress(stop, count)
    return Neighbors(index, cosine)
