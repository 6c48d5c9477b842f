"""Word overlap of neighbours: what separates a paraphrase that was planted from a page that was copied."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.text.words import ascii_words, jaccard


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
    words = [ascii_words(text) for text in texts]
    out = np.empty(index.shape, dtype=np.float64)
    for row, neighbors in enumerate(index.tolist()):
        own = words[row]
        out[row] = [jaccard(own, words[other]) for other in neighbors]
    return out
