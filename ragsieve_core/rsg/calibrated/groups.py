"""Candidate groups: each document with its nearest, and how far they stand apart beyond what their wording explains."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.calibrated.seats import seats
from ragsieve_core.rsg.calibrated.usable import UsableNeighbors
from ragsieve_core.workers import run_tasks, together

ROWS = 1536
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
    if sizes:
        lists = _Lists.of(usable)

        def work(start: int) -> None:
            part = slice(start, start + ROWS)
            block = _Block(lists, members[part])
            for column, size in reversed(list(enumerate(sizes))):
                (
                    isolation[part, column],
                    jaccard[part, column],
                    contrast[part, column],
                    compactness[part, column],
                ) = block.measure(size)

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
    if sizes:
        # A list has no unused place before a used one, so a group exists if its last member does
        evidence[members[:, [size - 1 for size in sizes]] < 0] = -np.inf
    return GroupEvidence(members, sizes, isolation, jaccard, contrast, compactness, evidence)


@dataclass(frozen=True, slots=True)
class _Lists:
    """Lists of N documents with one place more: beyond the end, as far as the farthest and no word shared.

    Attributes
    ----------
    index : int32 (N, depth).
    distance, weighted, jaccard : float64 (N (depth + 1),), flat.
    reach : R and the floor.
    """

    index: NDArray[np.int32]
    distance: NDArray[np.float64]
    weighted: NDArray[np.float64]
    jaccard: NDArray[np.float64]
    reach: float

    @classmethod
    def of(cls, usable: UsableNeighbors) -> _Lists:
        def padded(values: NDArray[np.float64], beyond: NDArray[np.float64] | float) -> NDArray[np.float64]:
            out = np.empty((values.shape[0], values.shape[1] + 1))
            out[:, :-1], out[:, -1] = values, beyond
            return out.ravel()

        distance, weighted, jaccard = together(
            lambda: padded(usable.distance, usable.distance[:, -1]),
            lambda: padded(usable.weighted, 0.0),
            lambda: padded(usable.jaccard, 0.0),
        )
        return cls(usable.index, distance, weighted, jaccard, usable.radius + usable.floor)


class _Block:
    """Pairwise measures among the members of b groups; arrays are (member, …, group), so that sums run along groups.

    Every sum adds in the order in which numpy adds along the last axis, whatever the arrangement: see :func:`_added`.
    """

    def __init__(self, lists: _Lists, members: NDArray[np.int32]) -> None:
        self.depth, self.widest = lists.index.shape[1], members.shape[1]
        self.place, self.first, self.second = seats(lists.index, members)
        begin = np.maximum(members, 0).T * np.int64(self.depth + 1)
        spots = self.place + begin
        between, shared, jaccard = (values.take(spots) for values in (lists.distance, lists.weighted, lists.jaccard))
        nearest = begin + self.first
        # Of the nearest outsiders of each member: its distance, and the words shared with each of two
        self.apart, self.near = lists.distance.take(nearest), lists.weighted.take(nearest)
        self.next = lists.weighted.take(begin + self.second)
        self.outside = (self.first < self.depth).view(np.int8) + (self.second < self.depth).view(np.int8)
        # Overlap is symmetric: where j is missing from i's list, i may be in j's
        shared, self.jaccard = (np.maximum(values, values.swapaxes(0, 1)) for values in (shared, jaccard))
        for values in (between, self.jaccard, shared):
            # Nobody is a fellow of himself
            values[np.arange(self.widest), np.arange(self.widest)] = 0.0
        self.between, self.shared = _Sums(between), _Sums(shared)
        self.reach = lists.reach
        self.size = self.widest

    def measure(
        self, size: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Isolation, Jaccard, contrast and compactness of the groups of the first ``size`` members.

        Sizes are asked for from the largest to the smallest: who is left out of a group becomes an outsider to it.
        """
        while self.size > size:
            self._leave_out_last()
        inside = self.between.of(size)[:size] / (size - 1)
        within = self.shared.of(size)[:size] / (size - 1)
        within += _WORDING_OFFSET
        without = self.near + self.next
        without /= np.maximum(self.outside, 1)
        without += _WORDING_OFFSET
        within /= without
        apart = self.apart / inside
        pairs = self.jaccard[:size, :size].reshape(size * size, -1)
        return (
            np.log(apart, out=apart).min(axis=0),
            _added(pairs) / (size * (size - 1)),
            _added(np.log(within, out=within)) / size,
            np.log(self.reach / (_added(inside) / size)),
        )

    def _leave_out_last(self) -> None:
        """The last member becomes an outsider to the others."""
        size = self.size - 1
        place, shared = self.place[size, :size], self.shared.values[size, :size]
        first, second, near, nearer = self.first[:size], self.second[:size], self.near[:size], self.next[:size]
        there, before, second_now = place < self.depth, place < first, place < second
        # A list is in the order of distance, its end as far as its farthest
        self.apart = np.minimum(self.apart[:size], self.between.values[size, :size])
        self.next = np.where(before, near, np.where(second_now, shared, nearer))
        self.near = np.where(before, shared, near)
        self.second = np.minimum(second, np.maximum(first, place))
        self.first = np.minimum(first, place)
        self.outside = np.minimum(self.outside[:size] + there.view(np.int8), np.int8(2))
        self.size = size


class _Sums:
    """Sums of the first so many of some terms in the order of :func:`_added`, those of smaller sizes used again."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self.values = values
        self._made: dict[int, NDArray[np.float64]] = {}

    def of(self, terms: int) -> NDArray[np.float64]:
        """Sum of the first ``terms``."""
        if terms not in self._made:
            if terms in (1, _SUMS) or terms >= 2 * _SUMS:
                self._made[terms] = _added(self.values[:terms])
            else:
                # From here on the order of numpy's sum is one term after another
                self._made[terms] = self.of(terms - 1) + self.values[terms - 1]
        return self._made[terms]


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
