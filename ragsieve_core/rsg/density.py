"""Density D_i: how far a document's retained neighbours stand above the floor of its own neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.config import RSGConfig


class Retention(IntEnum):
    """Why a neighbour counts, or does not; `paper` knows the first four, `calibrated` the first and the last three."""

    RETAINED = 0
    BELOW_COSINE = 1
    ABOVE_JACCARD = 2
    BELOW_COSINE_AND_ABOVE_JACCARD = 3
    SAME_SOURCE = 4
    COPY = 5
    OUTSIDE_GROUP = 6


@dataclass(frozen=True, slots=True)
class Density:
    """Local density of N documents.

    Attributes
    ----------
    floor : float32 (N,), b_i, cosine of the farthest of the k neighbours.
    retention : uint8 (N, k), :class:`Retention` of each neighbour.
    eligible_neighbors : int32 (N,), |N_i|.
    mean_cosine : float64 (N,), mu_i, mean cosine of the strongest retained; the floor where there are none.
    density : float32 (N,), in [0, 1]; higher = more suspicious. Rounded to float32 before any ranking.
    """

    floor: NDArray[np.float32]
    retention: NDArray[np.uint8]
    eligible_neighbors: NDArray[np.int32]
    mean_cosine: NDArray[np.float64]
    density: NDArray[np.float32]


def local_density(cosine: NDArray[np.float32], jaccard: NDArray[np.float64], config: RSGConfig) -> Density:
    """D_i = min(1, |N_i| / c_G) clip((mu_i - b_i) / max(1e-6, 1 - b_i), 0, 1). Source: METHOD, "RSG".

    Parameters
    ----------
    cosine : float32 (N, k), non-increasing along a row.
    jaccard : float64 (N, k), word overlap with the same neighbours.
    config : cuts, h_G and c_G.
    """
    exact = cosine.astype(np.float64)
    below = exact < config.cosine_cut
    above = jaccard > config.jaccard_ceiling
    retention = (below.astype(np.uint8) * Retention.BELOW_COSINE) + (above.astype(np.uint8) * Retention.ABOVE_JACCARD)
    retained = retention == Retention.RETAINED
    eligible = retained.sum(axis=1).astype(np.int32)
    floor = exact[:, -1]
    counted = retained & (np.cumsum(retained, axis=1) <= config.strongest)
    number = counted.sum(axis=1)
    total = np.where(counted, exact, 0.0).sum(axis=1)
    mean = np.where(number > 0, total / np.maximum(number, 1), floor)
    weight = np.minimum(1.0, eligible / config.enough)
    rise = np.clip((mean - floor) / np.maximum(1e-6, 1 - floor), 0.0, 1.0)
    return Density(cosine[:, -1].copy(), retention.astype(np.uint8), eligible, mean, (weight * rise).astype(np.float32))
