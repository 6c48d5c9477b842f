"""Candidate groups: each document with its nearest, and how far they stand apart beyond what their wording explains."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.calibrated.usable import UsableNeighbors
from ragsieve_core.workers import run_tasks

ROWS = 512
"""Documents whose groups are worked on at once; bounds memory."""

_WORDING_OFFSET = 0.02


@dataclass(frozen=True, slots=True)
class GroupEvidence:
    """Groups of N documents times S sizes: row i, column j = document i with its ``sizes[j]`` - 1 nearest.

    Attributes
    ----------
    members : int32 (N, largest size), the document and its neighbours, nearest first, -1 where there are too few.
    sizes : S group sizes.
    isolation : float64 (N, S), A: the least, over members, of ln(distance to the nearest non-member / mean distance to
        the fellow members); a fellow missing from the list counts as its farthest.
    jaccard : float64 (N, S), J: mean word Jaccard inside, in [0, 1].
    contrast : float64 (N, S), L: mean over members of ln((w_in + .02) / (w_out + .02)), w_in the rarity-weighted
        Jaccard with fellows, w_out with the two nearest non-members.
    compactness : float64 (N, S), C: ln((R + floor) / mean distance inside).
    evidence : float64 (N, S), E = A + w_J ln(1 - J) + w_L L + w_C min(C, limit max(A, 0)) + w_s ln(min(s, s0) / s0);
        -inf where the group does not exist. Higher = more suspicious.
    """

    members: NDArray[np.int32]
    sizes: tuple[int, ...]
    isolation: NDArray[np.float64]
    jaccard: NDArray[np.float64]
    contrast: NDArray[np.float64]
    compactness: NDArray[np.float64]
    evidence: NDArray[np.float64]


def group_evidence(usable: UsableNeighbors, config: CalibratedConfig) -> GroupEvidence:
    """Evidence of every candidate group; O(N) work for fixed list depth and sizes."""
    count, depth = usable.index.shape
    sizes = tuple(size for size in config.group_sizes if size <= depth + 1)
    widest = sizes[-1] if sizes else 1
    members = np.concatenate([np.arange(count, dtype=np.int32)[:, None], usable.index[:, : widest - 1]], axis=1)
    shape = (count, len(sizes))
    isolation, jaccard, contrast, compactness = (np.zeros(shape) for _ in range(4))

    def work(start: int) -> None:
        rows = slice(start, start + ROWS)
        block = _Block(usable, members[rows])
        for column, size in reversed(list(enumerate(sizes))):
            (
                isolation[rows, column],
                jaccard[rows, column],
                contrast[rows, column],
                compactness[rows, column],
            ) = block.measure(size)

    if sizes:
        deque(run_tasks(work, range(0, count, ROWS)), maxlen=0)
    size_term = config.size_weight * np.log(np.minimum(sizes, config.full_size) / config.full_size)
    counted = np.minimum(compactness, config.compactness_limit * np.maximum(isolation, 0.0))
    evidence = (
        isolation
        + config.wording_weight * np.log(1.0 - np.minimum(jaccard, 0.999))
        + config.contrast_weight * contrast
        + config.compactness_weight * counted
        + size_term
    )
    exists = np.stack([(members[:, :size] >= 0).all(axis=1) for size in sizes], axis=1) if sizes else np.zeros(shape)
    evidence = np.where(exists, evidence, -np.inf)
    return GroupEvidence(members, sizes, isolation, jaccard, contrast, compactness, evidence)


class _Block:
    """Pairwise measures among the members of b groups; arrays are (member, …, group), so that sums run along groups.

    Every sum adds in the order in which numpy adds along the last axis, whatever the arrangement: see :func:`_added`.
    """

    def __init__(self, usable: UsableNeighbors, members: NDArray[np.int32]) -> None:
        there = np.maximum(members, 0).T
        lists = np.ascontiguousarray(usable.index.take(there, axis=0).swapaxes(1, 2))
        widest, depth, count = lists.shape
        # Beyond the end of a list: as far as its farthest, no word shared
        self.distance = _padded(usable.distance, there, usable.distance[:, -1])
        nothing = np.zeros(usable.index.shape[0])
        self.weighted, jaccard = (_padded(values, there, nothing) for values in (usable.weighted, usable.jaccard))
        # A missing member is no row: it stands in no list, and an unused place of a list is none of the members
        asked = np.where(members >= 0, members, -2).T
        small = np.int8 if depth < np.iinfo(np.int8).max else np.int32
        self.place = np.full((widest, widest, count), depth, dtype=small)
        self.first, self.second = (np.full((widest, count), depth, dtype=small) for _ in range(2))
        for spot in range(depth - 1, -1, -1):
            here = lists[:, spot]
            same = here[:, None] == asked[None]
            mark = same.view(np.int8)
            # A member stands in a list once
            self.place -= mark * small(depth - spot)
            taken = mark[:, 0].copy()
            for one in range(1, widest):
                taken |= mark[:, one]
            stranger = (here >= 0) & (taken == 0)
            self.second = np.where(stranger, self.first, self.second)
            self.first = np.where(stranger, small(spot), self.first)
        self.begin = np.arange(widest)[:, None] * ((depth + 1) * count) + np.arange(count)
        spots = self.begin[:, None] + self.place.astype(np.int64) * count
        self.between = self.distance.take(spots)
        self.jaccard = self._mutual(self.place < depth, jaccard.take(spots))
        self.shared = self._mutual(self.place < depth, self.weighted.take(spots))
        for values in (self.between, self.jaccard, self.shared):
            # Nobody is a fellow of himself
            values[np.arange(widest), np.arange(widest)] = 0.0
        self.reach = usable.radius + usable.floor
        self.size = widest

    @staticmethod
    def _mutual(found: NDArray[np.bool_], value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Overlap is symmetric: where j is missing from i's list, i may be in j's."""
        return np.where(found, value, value.swapaxes(0, 1))

    def measure(
        self, size: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Isolation, Jaccard, contrast and compactness of the groups of the first ``size`` members.

        Sizes are asked for from the largest to the smallest: who is left out of a group becomes an outsider to it.
        """
        for left_out in range(self.size - 1, size - 1, -1):
            place = self.place[:, left_out]
            self.second = np.minimum(self.second, np.maximum(self.first, place))
            self.first = np.minimum(self.first, place)
        self.size = size
        inside = _added(self.between[:size, :size].swapaxes(0, 1)) / (size - 1)
        within = _added(self.shared[:size, :size].swapaxes(0, 1)) / (size - 1)
        depth, count = self.distance.shape[1] - 1, self.distance.shape[2]
        first, second = self.first[:size].astype(np.int64), self.second[:size].astype(np.int64)
        nearest, begin = first * count + self.begin[:size], self.begin[:size]
        two = (first < depth).astype(np.int64) + (second < depth)
        without = (self.weighted.take(nearest) + self.weighted.take(second * count + begin)) / np.maximum(two, 1)
        pairs = self.jaccard[:size, :size].reshape(size * size, -1)
        return (
            np.log(self.distance.take(nearest) / inside).min(axis=0),
            _added(pairs) / (size * (size - 1)),
            _added(np.log((within + _WORDING_OFFSET) / (without + _WORDING_OFFSET))) / size,
            np.log(self.reach / (_added(inside) / size)),
        )


def _padded(values: NDArray[np.float64], there: NDArray[np.int32], beyond: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lists of the members, (member, place, group), with one place more."""
    depth = values.shape[1]
    out = np.empty((there.shape[0], depth + 1, there.shape[1]))
    out[:, :depth] = values.take(there, axis=0).swapaxes(1, 2)
    out[:, depth] = beyond[there]
    return out


def _added(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over the first axis in numpy's order of a sum over the last one: eight sums, halves above 128 terms."""
    terms = values.shape[0]
    if terms > _TERMS:
        half = terms // 2 - terms // 2 % _SUMS
        return _added(values[:half]) + _added(values[half:])
    if terms < _SUMS:
        total: NDArray[np.float64] = values[0].copy()
        for term in values[1:]:
            total += term
        return total
    whole = terms - terms % _SUMS
    r = values[:_SUMS].copy()
    for start in range(_SUMS, whole, _SUMS):
        r += values[start : start + _SUMS]
    total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    for term in values[whole:]:
        total += term
    return total


_SUMS, _TERMS = 8, 128
