"""The one cosine of a pair of documents, and the order of neighbours by it: what no search may decide otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.workers import run_tasks

PAIR_CHUNK = 64
"""Pairs whose products are held at once: small enough for the processor's cache."""


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
    ours, theirs = (np.empty((min(PAIR_CHUNK, left.shape[0]), vectors.shape[1])) for _ in range(2))
    for start in range(0, left.shape[0], PAIR_CHUNK):
        stop = min(start + PAIR_CHUNK, left.shape[0])
        products, others = ours[: stop - start], theirs[: stop - start]
        products[...], others[...] = vectors[left[start:stop]], vectors[right[start:stop]]
        products *= others
        out[start:stop] = products.sum(axis=1)
    return out


def many_pair_cosines(
    vectors: NDArray[np.float32], left: NDArray[np.int64], right: NDArray[np.int64], *, piece: int = 16_384
) -> NDArray[np.float32]:
    """:func:`pair_cosines`, each unordered pair once and on all processors.

    Returns
    -------
    float32 (m,).
    """
    count = vectors.shape[0]
    key = np.minimum(left, right).astype(np.int64) * count + np.maximum(left, right)
    order = np.argsort(key)
    ordered = key[order]
    fresh = np.ones(ordered.size, dtype=bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    low, high = np.divmod(ordered[fresh], count)

    def task(start: int) -> NDArray[np.float32]:
        return pair_cosines(vectors, low[start : start + piece], high[start : start + piece])

    found = list(run_tasks(task, range(0, low.size, piece)))
    out = np.empty(key.size, dtype=np.float32)
    if found:
        out[order] = np.concatenate(found)[np.cumsum(fresh) - 1]
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


def ranked(row: NDArray[np.int64], cosine: NDArray[np.float32], place: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order of m entries by row, then falling cosine, then ``place`` (of the document id), as an int64 (m,) index."""
    key = (row.astype(np.uint64) << np.uint64(32)) | falling_bits(cosine)
    order = np.argsort(key)
    sorted_key = key[order]
    tied = np.flatnonzero(sorted_key[1:] == sorted_key[:-1])
    if tied.size:
        # Only runs of equal cosines are looked at by id
        inside = np.unique(np.concatenate([tied, tied + 1]))
        some = order[inside]
        order[inside] = some[np.lexsort((place[some], key[some]))]
    return order


def falling_bits(values: NDArray[np.float32]) -> NDArray[np.uint64]:
    """32 bits that rise as the float falls; -0.0 counts as 0.0."""
    bits = (values + np.float32(0)).view(np.uint32)
    rising = np.where(bits >> 31, ~bits, bits | np.uint32(0x80000000))
    return (~rising).astype(np.uint64)
