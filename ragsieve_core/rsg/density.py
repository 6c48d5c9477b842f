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
    below = cosine < least_cosine(config.cosine_cut)
    above = jaccard > config.jaccard_ceiling
    retention = (below.astype(np.uint8) * Retention.BELOW_COSINE) + (above.astype(np.uint8) * Retention.ABOVE_JACCARD)
    eligible, mean, density = column_density(cosine.T, jaccard.T, config)
    return Density(cosine[:, -1].copy(), retention.astype(np.uint8), eligible, mean, density)


def least_cosine(cut: float) -> np.float32:
    """The smallest float32 that is at least ``cut``: a float32 reaches the one exactly where it reaches the other."""
    rounded = np.float32(cut)
    return rounded if float(rounded) >= cut else np.nextafter(rounded, np.float32(np.inf))


def column_density(
    cosine: NDArray[np.float32], jaccard: NDArray[np.float64], config: RSGConfig
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float32]]:
    """Eligible neighbours, mean cosine and density of N documents, from neighbours by place.

    Place after place over all documents: on contiguous columns a corpus of 250,000 takes milliseconds, so that a slider
    can follow. The cosines of a document are added nearest first, whatever the layout.

    Parameters
    ----------
    cosine, jaccard : (k, N), row j = the j-th nearest neighbour of every document.
    config : cuts, h_G and c_G.

    Returns
    -------
    eligible : int32 (N,). mean : float64 (N,), the floor where none is retained. density : float32 (N,), in [0, 1].
    """
    count = cosine.shape[1]
    cut = least_cosine(config.cosine_cut)
    eligible, total = np.zeros(count, dtype=np.int32), np.zeros(count)
    for near, overlap in zip(cosine, jaccard, strict=True):
        retained = near >= cut
        if not retained.any():
            # The places that follow are farther away
            break
        retained &= overlap <= config.jaccard_ceiling
        eligible += retained
        retained &= eligible <= config.strongest
        np.add(total, near, out=total, where=retained)
    floor = cosine[-1].astype(np.float64)
    number = np.minimum(eligible, config.strongest)
    mean = np.where(number > 0, total / np.maximum(number, 1), floor)
    weight = np.minimum(1.0, eligible / config.enough)
    rise = np.clip((mean - floor) / np.maximum(1e-6, 1 - floor), 0.0, 1.0)
    return eligible, mean, (weight * rise).astype(np.float32)
