"""Language islands: groups that stand apart because nothing else in the corpus is written in their words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.calibrated.wording import WordSets


def own_vocabulary(sets: WordSets, members: NDArray[np.int32]) -> float:
    """Mean over members of the share of their words that no document outside the group holds, in [0, 1].

    Six Arabic pages in an English corpus are near one another and far from everything: 0.95 here. Planted documents
    answer questions asked of the corpus, in its language: 0.2 at most over 200 targets measured.
    """
    rows = [sets.row(row) for row in members.tolist()]
    joined = np.concatenate(rows)
    place = np.repeat(np.arange(len(rows)), [row.size for row in rows])
    # A word of more documents than there are members is held outside
    few = sets.frequency[joined] <= len(rows)
    words, inverse, held = np.unique(joined[few], return_inverse=True, return_counts=True)
    own = np.bincount(place[few][(sets.frequency[words] == held)[inverse]], minlength=len(rows)).tolist()
    shares = [number / row.size if row.size else 0.0 for number, row in zip(own, rows, strict=True)]
    return float(np.mean(shares))
