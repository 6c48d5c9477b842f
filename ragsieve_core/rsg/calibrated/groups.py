"""Candidate groups: each document with its nearest, and how far they stand apart beyond what their wording explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.calibrated.usable import UsableNeighbors

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
    for start in range(0, count, ROWS):
        rows = slice(start, start + ROWS)
        block = _Block(usable, members[rows])
        for column, size in enumerate(sizes):
            (
                isolation[rows, column],
                jaccard[rows, column],
                contrast[rows, column],
                compactness[rows, column],
            ) = block.measure(size)
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
    """Pairwise measures among the members of a block of groups, (b, m) members with lists of depth p."""

    def __init__(self, usable: UsableNeighbors, members: NDArray[np.int32]) -> None:
        there = np.maximum(members, 0)
        lists = usable.index[there]
        self.filled = lists >= 0
        self.distance = usable.distance[there]
        self.weighted = usable.weighted[there]
        # same[b, i, p, j]: place p of member i's list holds member j
        same = (lists[..., None] == members[:, None, None, :]) & (members >= 0)[:, None, None, :]
        found = same.any(axis=2)
        place = same.argmax(axis=2)
        # Which member stands at each place of each list; members are distinct, a stranger counts as beyond the last
        self.member = np.where(same.any(axis=3), same.argmax(axis=3), members.shape[1])
        self.between = np.where(found, np.take_along_axis(self.distance, place, 2), self.distance[..., -1:])
        self.jaccard = self._mutual(found, np.take_along_axis(usable.jaccard[there], place, 2))
        self.shared = self._mutual(found, np.take_along_axis(self.weighted, place, 2))
        self.reach = usable.radius + usable.floor

    @staticmethod
    def _mutual(found: NDArray[np.bool_], value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Overlap is symmetric: where j is missing from i's list, i may be in j's."""
        known = np.where(found, value, 0.0)
        return np.where(found, known, known.swapaxes(1, 2))

    def measure(
        self, size: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Isolation, Jaccard, contrast and compactness of the groups of the first ``size`` members."""
        fellow = ~np.eye(size, dtype=bool)
        inside = (self.between[:, :size, :size] * fellow).sum(axis=2) / (size - 1)
        outsider = (self.member[:, :size] >= size) & self.filled[:, :size]
        nearest = np.where(outsider, self.distance[:, :size], np.inf).min(axis=2)
        nearest = np.where(np.isinf(nearest), self.distance[:, :size, -1], nearest)
        within = (self.shared[:, :size, :size] * fellow).sum(axis=2) / (size - 1)
        two = outsider & (np.cumsum(outsider, axis=2) <= 2)
        without = (self.weighted[:, :size] * two).sum(axis=2) / np.maximum(two.sum(axis=2), 1)
        return (
            np.log(nearest / inside).min(axis=1),
            (self.jaccard[:, :size, :size] * fellow).sum(axis=(1, 2)) / (size * (size - 1)),
            np.log((within + _WORDING_OFFSET) / (without + _WORDING_OFFSET)).mean(axis=1),
            np.log(self.reach / inside.mean(axis=1)),
        )
