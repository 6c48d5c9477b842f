"""Language islands: groups that stand apart because nothing else in the corpus is written in their words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.calibrated.wording import WordSets
from ragsieve_core.text.shared_tokens import spans

_GROUPS = 1024
"""Groups whose words are looked at at once; bounds memory."""


def own_vocabulary(sets: WordSets, members: NDArray[np.int32]) -> NDArray[np.float64]:
    """Mean over members of the share of their words that no document outside the group holds.

    Six Arabic pages in an English corpus are near one another and far from everything: 0.95 here. Planted documents
    answer questions asked of the corpus, in its language: 0.2 at most over 200 targets measured.

    Parameters
    ----------
    sets : words of the documents.
    members : int32 (g, s), rows of the members of g groups of one size.

    Returns
    -------
    float64 (g,), in [0, 1].
    """
    starts = range(0, members.shape[0], _GROUPS)
    return np.concatenate([np.empty(0), *(_some(sets, members[start : start + _GROUPS]) for start in starts)])


def _some(sets: WordSets, members: NDArray[np.int32]) -> NDArray[np.float64]:
    groups, size = members.shape
    row = members.ravel().astype(np.int64)
    held = np.diff(sets.edges)[row]
    word = sets.number.take(spans(sets.edges[row], held)).astype(np.int64)
    place = np.repeat(np.arange(row.size), held)
    # A word of more documents than there are members is held outside
    few = np.flatnonzero(sets.frequency.take(word) <= size)
    word, place = word[few], place[few]
    _, inverse, number = np.unique((place // size) * len(sets.words) + word, return_inverse=True, return_counts=True)
    own = np.bincount(place[sets.frequency[word] == number[inverse]], minlength=row.size)
    shares = np.divide(own, held, out=np.zeros(row.size), where=held > 0)
    return np.asarray(shares.reshape(groups, size).mean(axis=1), dtype=np.float64)
