"""Exact retrieval by cosine over a fixed set of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.knn import id_order, screening_error


@dataclass(frozen=True, slots=True)
class Hits:
    """Best rows for one query, best first.

    Attributes
    ----------
    rows : int64 (m,), rows of the matrix.
    similarity : float32 (m,), cosine, non-increasing.
    """

    rows: NDArray[np.int64]
    similarity: NDArray[np.float32]


class ExactIndex:
    """Rows of a matrix, searched without approximation; equal cosines go by document id.

    Parameters
    ----------
    vectors : float32 (N, d), unit rows, may be memory-mapped.
    ids : N distinct document ids.
    """

    def __init__(self, vectors: NDArray[np.float32], ids: Sequence[str]) -> None:
        if vectors.shape[0] != len(ids):
            raise InputError(
                f"{len(ids)} ids and {vectors.shape[0]} embeddings", expected="one embedding per document, same order"
            )
        self._vectors = vectors
        self._order = id_order(ids)

    def search(self, query: NDArray[np.float32], depth: int, excluded: NDArray[np.bool_] | None = None) -> Hits:
        """The ``depth`` nearest rows that are not excluded; fewer only where there are fewer.

        Parameters
        ----------
        query : float32 (d,), unit length.
        depth : hits wanted, >= 1.
        excluded : bool (N,), rows that may not be seen; they leave inside the search, so depth is always filled.
        """
        if query.shape != self._vectors.shape[1:]:
            raise InputError(
                f"the query vector has {query.shape[0]} dimensions, the corpus {self._vectors.shape[1]}",
                expected="query and corpus encoded by the same encoder",
                do="choose the profile or encoder the corpus was encoded with",
            )
        scores = self._vectors @ query
        if excluded is not None:
            scores = np.where(excluded, -np.inf, scores)
        allowed = int(np.isfinite(scores).sum())
        depth = min(depth, allowed)
        if depth == 0:
            return Hits(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))
        # As in rsg.knn: float32 proposes with room for its rounding, one float64 sum per row decides
        slack = 2.5 * screening_error(query.shape[0]) + 2.0**-23
        cut = np.partition(scores, scores.size - depth)[scores.size - depth] - np.float32(slack)
        rows = np.flatnonzero(scores >= cut)
        products = self._vectors[rows].astype(np.float64)
        products *= query
        exact = products.sum(axis=1).astype(np.float32)
        best = np.lexsort((self._order[rows], -exact))[:depth]
        return Hits(rows[best], exact[best])
