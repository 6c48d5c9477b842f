"""Word overlap of neighbours: what separates a paraphrase that was planted from a page that was copied."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.text.shared_tokens import shared_counts
from ragsieve_core.text.token_sets import TokenSets, ascii_token_sets
from ragsieve_core.workers import run_tasks

_ROWS = 4096


def neighbor_jaccard(texts: Sequence[str], index: NDArray[np.int32]) -> NDArray[np.float64]:
    """Jaccard of the ``[a-z0-9]+`` word sets of each document and its neighbours.

    Parameters
    ----------
    texts : N document texts.
    index : int32 (N, k), rows of the neighbours.

    Returns
    -------
    float64 (N, k), in [0, 1]; 0 where both texts are without words.
    """
    return list_jaccard(ascii_token_sets(texts), index)


def list_jaccard(sets: TokenSets, index: NDArray[np.int32]) -> NDArray[np.float64]:
    """Jaccard of N texts and their neighbours, each pair that stands in both lists worked out once; float64 (N, k)."""
    count, k = index.shape
    out = np.empty(count * k)
    twin = earlier_places(index)
    own = np.flatnonzero(twin < 0)
    out[own] = pair_jaccard(sets, own // k, index.ravel()[own].astype(np.int64))
    later = np.flatnonzero(twin >= 0)
    out[later] = out[twin[later]]
    return out.reshape(count, k)


def earlier_places(index: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each place of the lists, flat, that of the same pair in the list of its other text if that stands above.

    Parameters
    ----------
    index : int32 (N, k), rows of the neighbours, each once in a list.

    Returns
    -------
    int64 (N k,), -1 where a pair is met for the first time.
    """
    count, k = index.shape
    twin = np.full(count * k, -1, dtype=np.int64)

    def look(begin: int) -> None:
        row = np.arange(begin, min(begin + _ROWS, count), dtype=np.int32)
        own = index[row]
        place = np.flatnonzero(own < row[:, None])
        this, other = row[place // k], own.ravel()[place]
        # A row stands in a list once
        hit = np.flatnonzero(index[other] == this[:, None])
        pair = hit // k
        twin[begin * k + place[pair]] = other[pair].astype(np.int64) * k + hit % k

    deque(run_tasks(look, range(0, count, _ROWS)), maxlen=0)
    return twin


def pair_jaccard(sets: TokenSets, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Jaccard of pairs of texts; float64 (m,)."""
    shared = shared_counts(sets, left, right)
    union = sets.size[left] + sets.size[right] - shared
    return np.asarray(np.divide(shared, union, out=np.zeros(left.size), where=union > 0))
