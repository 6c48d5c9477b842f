"""A rate over clustered observations with an interval that is never of zero width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ragsieve_core.errors import InputError

_FULL = 0.9
"""Correlation assumed inside a cluster before the data say otherwise."""
_WEIGHT = 0.5
"""Clusters that this assumption counts for."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its interval.

    Attributes
    ----------
    value : share in [0, 1]; NaN where nothing was observed.
    low, high : interval, 0 <= low < high <= 1; 0 and 1 where nothing was observed.
    hits, n : observations with the property, and all of them.
    clusters : independent units behind them.
    design_effect : factor by which clustering (and unequal weights) widens the variance, >= 1.
    """

    value: float
    low: float
    high: float
    hits: int
    n: int
    clusters: int
    design_effect: float


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share from n (effective, > 0) observations. Source: Wilson 1927, JASA 22."""
    z = float(ndtri(0.5 + level / 2))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At 0 and 1 the bound is the share itself; rounding must not put it beside
    low = 0.0 if share <= 0 else max(0.0, float(middle - half))
    return low, 1.0 if share >= 1 else min(1.0, float(middle + half))


def clustered_rate(
    hit: NDArray[np.bool_],
    cluster: NDArray[np.integer],
    *,
    weight: NDArray[np.float64] | None = None,
    level: float = 0.95,
) -> Rate:
    """Share of hits with Wilson's interval at the effective number of observations n / design effect.

    The design effect is the linearised cluster variance of the share over its binomial variance, at least 1. It is
    estimated from clusters, and clusters that are all hit say nothing about it: so it is averaged with that of a
    correlation of 0.9 inside clusters, which counts for half a cluster against the number of clusters with at least
    one of the rarer outcome. The coverage of this choice is measured in docs/evaluation.md.
    Source: Kish 1965; Korn and Graubard 1998 for intervals at the effective number.

    Parameters
    ----------
    hit : bool (n,).
    cluster : int (n,), >= 0; observations of one cluster are not independent (query, target, source).
    weight : float64 (n,), > 0, one over the probability of being drawn; None = all drawn.
    level : of the interval, in (0, 1).

    Raises
    ------
    InputError : arrays of different length, or a level outside (0, 1).
    """
    n = hit.shape[0]
    if cluster.shape[0] != n or (weight is not None and weight.shape[0] != n):
        raise InputError(f"{n} observations and {cluster.shape[0]} clusters", expected="one cluster per observation")
    if not 0 < level < 1:
        raise InputError(f"level {level!r} is out of range", expected="between 0 and 1")
    if n == 0:
        return Rate(float("nan"), 0.0, 1.0, 0, 0, 0, 1.0)
    size = np.bincount(cluster)
    held = size > 0
    hits = np.bincount(cluster, weights=hit)[held].astype(np.float64)
    counts = size[held].astype(np.float64)
    if weight is None:
        mass, caught, unequal = counts, hits, 1.0
    else:
        mass = np.bincount(cluster, weights=weight)[held].astype(np.float64)
        caught = np.bincount(cluster, weights=weight * hit)[held].astype(np.float64)
        unequal = float(n * np.square(weight).sum() / np.square(weight.sum()))
    share = float(np.clip(caught.sum() / mass.sum(), 0.0, 1.0))
    effect = _design_effect(share, caught, mass, counts, hits, unequal)
    low, high = wilson(share, n / effect, level)
    return Rate(share, low, high, int(hits.sum()), n, int(counts.size), effect)


def _design_effect(
    share: float,
    caught: NDArray[np.float64],
    mass: NDArray[np.float64],
    counts: NDArray[np.float64],
    hits: NDArray[np.float64],
    unequal: float,
) -> float:
    clusters, n = counts.size, counts.sum()
    # Size of the cluster that an observation finds itself in: unequal clusters weigh more than their mean says
    assumed = unequal * (1 + _FULL * (float(np.square(counts).sum() / n) - 1))
    plain = share * (1 - share) / n
    if plain <= 0 or clusters < 2:
        return max(1.0, assumed)
    spread = clusters / (clusters - 1) * float(np.square(caught - share * mass).sum()) / float(mass.sum()) ** 2
    telling = min(int((hits > 0).sum()), int((hits < counts).sum()))
    mixed = (telling * spread / plain + _WEIGHT * assumed) / (telling + _WEIGHT)
    return float(min(max(1.0, mixed), n))
