"""Rows with equal vectors: searched once, given to each of them; a flood of copies costs no more than one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.rescoring import pair_cosines, ranked

_READ = 8192


@dataclass(frozen=True, slots=True)
class Twins:
    """Rows grouped by the bytes of their vectors.

    Attributes
    ----------
    leader : int64 (N,), the row of the same vector whose id comes first.
    rows : int64 (U,), the leaders, increasing.
    """

    leader: NDArray[np.int64]
    rows: NDArray[np.int64]

    @property
    def any(self) -> bool:
        """Whether any two rows are equal."""
        return self.rows.size < self.leader.size


def row_digests(vectors: NDArray[np.float32]) -> NDArray[np.uint64]:
    """A number of each row that equal rows share; unequal ones may too. uint64 (N,)."""
    count, dimension = vectors.shape
    words = (dimension + 1) // 2
    factors = np.random.default_rng(dimension).integers(0, 2**63, words, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    out = np.empty(count, dtype=np.uint64)
    for start in range(0, count, _READ):
        block = np.zeros((min(_READ, count - start), 2 * words), dtype=np.float32)
        block[:, :dimension] = vectors[start : start + _READ]
        out[start : start + _READ] = block.view(np.uint64) @ factors
    return out


def twins(vectors: NDArray[np.float32], place: NDArray[np.int64], digests: NDArray[np.uint64] | None = None) -> Twins:
    """Groups of equal rows; ``place`` is the position of each document id in the sorted ids."""
    digests = row_digests(vectors) if digests is None else digests
    count = digests.shape[0]
    leader = np.arange(count, dtype=np.int64)
    _, inverse, number = np.unique(digests, return_inverse=True, return_counts=True)
    shared = np.flatnonzero(number[inverse] > 1)
    if shared.size:
        shared = shared[np.lexsort((place[shared], inverse[shared]))]
        fresh = np.ones(shared.size, dtype=bool)
        fresh[1:] = inverse[shared[1:]] != inverse[shared[:-1]]
        first = shared[np.maximum.accumulate(np.where(fresh, np.arange(shared.size), 0))]
        for start in range(0, shared.size, _READ):
            part = slice(start, start + _READ)
            one, other = vectors[shared[part]].view(np.uint32), vectors[first[part]].view(np.uint32)
            same = (one == other).all(axis=1)
            leader[shared[part][same]] = first[part][same]
    return Twins(leader, np.flatnonzero(leader == np.arange(count)))


def share_out(
    vectors: NDArray[np.float32],
    found: Twins,
    column: NDArray[np.int64],
    cosine: NDArray[np.float32],
    place: NDArray[np.int64],
    k: int,
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Neighbours of all rows from those of the leaders among the leaders.

    The k nearest of a row lie in its own group and in the k groups nearest to it, groups of equal cosine in the order
    of their first id; of each group only the first k + 1 by id can be among them.

    Parameters
    ----------
    vectors : float32 (N, d).
    found : groups.
    column, cosine : (U, min(k, U - 1)), nearest leaders of each leader, as numbers in ``found.rows``.
    place : int64 (N,), of each document id in the sorted ids.
    k : neighbours of each row, <= N - 1.
    """
    count, leaders = found.leader.size, found.rows.size
    group = np.empty(count, dtype=np.int64)
    group[found.rows] = np.arange(leaders)
    group = group[found.leader]
    by_group = np.lexsort((place, group))
    size = np.bincount(group, minlength=leaders)
    first = np.concatenate([[0], np.cumsum(size)[:-1]])
    index = np.empty((count, k), dtype=np.int32)
    out = np.empty((count, k), dtype=np.float32)
    alone = size == 1
    plain = np.flatnonzero(alone & alone[column].all(axis=1)) if column.shape[1] == k else np.empty(0, dtype=np.int64)
    if plain.size:
        index[found.rows[plain]] = found.rows[column[plain]]
        out[found.rows[plain]] = cosine[plain]
    rest = np.setdiff1d(np.arange(leaders), plain)
    for start in range(0, rest.size, _READ):
        some = rest[start : start + _READ]
        own = pair_cosines(vectors, found.rows[some], found.rows[some])
        groups = np.concatenate([some[:, None], column[some]], axis=1)
        values = np.concatenate([own[:, None], cosine[some]], axis=1)
        taken = np.minimum(size[groups], k + 1).ravel()
        local = np.repeat(np.arange(some.size), groups.shape[1]).repeat(taken)
        within = np.arange(taken.sum()) - np.repeat(np.cumsum(taken) - taken, taken)
        row = by_group[np.repeat(first[groups.ravel()], taken) + within]
        value = np.repeat(values.ravel(), taken)
        order = ranked(local, value, place[row])
        begin = np.searchsorted(local[order], np.arange(some.size))
        best = order[begin[:, None] + np.arange(k + 1)]
        members = by_group[np.repeat(first[some], size[some]) + _ramp(size[some])]
        lists = np.repeat(np.arange(some.size), size[some])
        listed = row[best]
        own_place = listed[lists] == members[:, None]
        skip = np.where(own_place.any(axis=1), own_place.argmax(axis=1), k)
        keep = np.arange(k) + (np.arange(k) >= skip[:, None])
        index[members] = np.take_along_axis(listed[lists], keep, 1)
        out[members] = np.take_along_axis(value[best][lists], keep, 1)
    return index, out


def _ramp(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
