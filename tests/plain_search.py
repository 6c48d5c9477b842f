"""The search written plainly: one float32 block product, one exact cosine per candidate, ties by id."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragsieve_core.rsg.knn import Neighbors
from ragsieve_core.rsg.rescoring import id_order, screening_error


def plain_cosines(vectors: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    products = vectors[left].astype(np.float64)
    products *= vectors[right]
    return products.sum(axis=1).astype(np.float32)


def plain_neighbors(vectors: np.ndarray, ids: Sequence[str], k: int, *, block: int = 1024) -> Neighbors:
    count = vectors.shape[0]
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
        cut = np.partition(scores, count - k, axis=1)[:, count - k] - slack
        left, right = np.nonzero(scores >= cut[:, None])
        left = left + start
        exact = plain_cosines(vectors, left, right)
        ranked = np.lexsort((order[right], -exact, left))
        left, right, exact = left[ranked], right[ranked], exact[ranked]
        first = np.searchsorted(left, rows)
        take = first[:, None] + np.arange(k)
        index[start:stop] = right[take]
        cosine[start:stop] = exact[take]
    return Neighbors(index, cosine)
