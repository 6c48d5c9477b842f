"""Independent units: which observations an interval must not count as independent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


def document_units(
    poison: NDArray[np.bool_],
    target: Sequence[str],
    source: Sequence[str],
    links: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> NDArray[np.int64]:
    """Unit of each document: planted ones by their target, clean ones by source, else by neighbourhood component.

    Documents of one target are written by one hand; pages of one source and pages that neighbour each other are flagged
    together. The intervals that follow are conditional on the corpus: they say what other targets and other pages of
    such a corpus would give, not other corpora.

    Parameters
    ----------
    poison : bool (N,).
    target, source : N names, empty = unknown.
    links : rows of retained neighbours, two arrays of equal length: the second is retained by the first. Two documents
        are joined where each retains the other: joined one way, groups percolate (under `calibrated`, which has a
        strongest group for every document, to 5,700 of 6,119 pages of a wiki; both ways to 12).

    Returns
    -------
    int64 (N,), 0-based without gaps.
    """
    count = poison.shape[0]
    left, right = links
    # Planted documents lie between pages: through them a component would swallow what it attacks
    clean = ~poison[left] & ~poison[right]
    clean &= np.isin(left * count + right, right * count + left)
    graph = coo_array((np.ones(int(clean.sum()), dtype=np.int8), (left[clean], right[clean])), shape=(count, count))
    _, component = connected_components(graph, directed=False)
    names = [
        f"t{target[row] or row}" if poison[row] else f"s{source[row]}" if source[row] else f"c{component[row]}"
        for row in range(count)
    ]
    return np.asarray(np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)[1], dtype=np.int64)
