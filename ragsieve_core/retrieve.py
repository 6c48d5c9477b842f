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
        return self.search_marked(query, depth, excluded, None)

    def search_marked(
        self,
        query: NDArray[np.float32],
        depth: int,
        excluded: NDArray[np.bool_] | None,
        marked: NDArray[np.bool_] | None,
    ) -> Hits:
        """:meth:`search` where rows of ``marked`` do not count towards ``depth`` and yet are listed where they rank.

        The result holds ``depth`` unmarked rows, and every marked row that would stand before the last of them: what is
        quarantined takes no place from others, and what it would have taken can still be said. Where there are fewer
        unmarked rows, marked ones follow up to ``depth`` rows in all.

        Parameters
        ----------
        marked : bool (N,); a row that is excluded as well is excluded.
        """
        if query.shape != self._vectors.shape[1:]:
            raise InputError(
                f"the query vector has {query.shape[0]} dimensions, the corpus {self._vectors.shape[1]}",
                expected="query and corpus encoded by the same encoder",
                do="choose the profile or encoder the corpus was encoded with",
            )
        scores = self._vectors @ query
        if excluded is not None:
            scores[excluded] = -np.inf
        open_scores = scores if marked is None else np.where(marked, -np.inf, scores)
        asked, allowed = depth, int(np.isfinite(open_scores).sum())
        depth = min(depth, allowed)
        # As in rsg.knn: float32 proposes with room for its rounding, one float64 sum per row decides
        slack = 2.5 * screening_error(query.shape[0]) + 2.0**-23
        if depth < asked:
            rows = np.flatnonzero(np.isfinite(scores))
        else:
            last = np.partition(open_scores, open_scores.size - depth)[open_scores.size - depth]
            rows = np.flatnonzero(scores >= last - np.float32(slack))
        products = self._vectors[rows].astype(np.float64)
        products *= query
        exact = products.sum(axis=1).astype(np.float32)
        best = np.lexsort((self._order[rows], -exact))
        rows, exact = rows[best], exact[best]
        if marked is None:
            return Hits(rows[:depth], exact[:depth])
        end = int(np.searchsorted(np.cumsum(~marked[rows]), depth)) + 1 if depth else 0
        if depth < asked:
            end = max(end, asked)
        return Hits(rows[:end], exact[:end])
