"""Word overlap of neighbours: what separates a paraphrase that was planted from a page that was copied."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.text.shared_tokens import shared_counts
from ragsieve_core.text.token_sets import TokenSets, ascii_token_sets


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
    count, k = index.shape
    left = np.repeat(np.arange(count, dtype=np.int64), k)
    return pair_jaccard(ascii_token_sets(texts), left, index.ravel().astype(np.int64)).reshape(count, k)


def pair_jaccard(sets: TokenSets, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Jaccard of pairs of texts, each unordered pair worked out once; float64 (m,)."""
    count = sets.start.size - 1
    key = np.minimum(left, right) * count + np.maximum(left, right)
    order = np.argsort(key)
    ordered = key[order]
    fresh = np.ones(key.size, dtype=bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    low, high = np.divmod(ordered[fresh], max(1, count))
    shared = shared_counts(sets, low, high)
    union = sets.size[low] + sets.size[high] - shared
    value = np.divide(shared, union, out=np.zeros(low.size), where=union > 0)
    out = np.empty(key.size)
    out[order] = value[np.cumsum(fresh) - 1]
    return out
