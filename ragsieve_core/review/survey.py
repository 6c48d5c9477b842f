"""Totals and shares of a population from a sample drawn with known probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from ragsieve_core.errors import InputError


@dataclass(frozen=True, slots=True)
class Weighted:
    """An estimate with its standard error and interval; ``n`` units were looked at."""

    estimate: float
    error: float
    low: float
    high: float
    n: int


def horvitz_thompson(values: Sequence[float], probabilities: Sequence[float], *, level: float = 0.95) -> Weighted:
    """Total of the population: sum of y / π, unbiased for any known π > 0 (Horvitz and Thompson 1952).

    The variance is that of independent (Poisson) draws, sum of (1 - π) · y² / π²; simple random samples of a stratum
    have a smaller one. The interval is normal, so it wants tens of positives; for rare ones take
    :func:`ragsieve_core.review.recall.missed_interval`.

    Raises
    ------
    InputError
        unequal lengths, or a probability outside (0, 1].
    """
    _check(values, probabilities)
    total = sum(y / p for y, p in zip(values, probabilities, strict=True))
    variance = sum((1 - p) * y * y / (p * p) for y, p in zip(values, probabilities, strict=True))
    return _interval(total, variance, len(values), level)


def hajek(values: Sequence[float], probabilities: Sequence[float], *, level: float = 0.95) -> Weighted:
    """Mean of the population: (sum of y / π) / (sum of 1 / π) (Hájek 1971), with the linearised Poisson variance
    sum of (1 - π) · (y - mean)² / π² over (sum of 1 / π)².

    Raises
    ------
    InputError
        no value, unequal lengths, or a probability outside (0, 1].
    """
    _check(values, probabilities)
    if not values:
        raise InputError("a mean of no values", expected="at least one unit of the sample")
    size = sum(1 / p for p in probabilities)
    mean = sum(y / p for y, p in zip(values, probabilities, strict=True)) / size
    squares = sum((1 - p) * (y - mean) ** 2 / (p * p) for y, p in zip(values, probabilities, strict=True))
    return _interval(mean, squares / (size * size), len(values), level)


def _check(values: Sequence[float], probabilities: Sequence[float]) -> None:
    if len(values) != len(probabilities):
        raise InputError(f"{len(values)} values and {len(probabilities)} probabilities", expected="one each")
    if not all(0 < p <= 1 for p in probabilities):
        raise InputError("a probability outside (0, 1]", where="probabilities", expected="that of being drawn")


def _interval(estimate: float, variance: float, n: int, level: float) -> Weighted:
    error = math.sqrt(variance)
    reach = NormalDist().inv_cdf((1 + level) / 2) * error
    return Weighted(estimate, error, estimate - reach, estimate + reach, n)
