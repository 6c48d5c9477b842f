"""Stratified cluster bootstrap of AUROC and of paired differences; weights are drawn once, whatever is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.auroc import auroc
from ragsieve_core.evaluate.holm import holm, holm_levels
from ragsieve_core.evaluate.rate import wilson

RESAMPLES = 1000
_CELLS = 4_000_000
"""Numbers held at a time: 32 MB."""


@dataclass(frozen=True, slots=True)
class Resamples:
    """How often each row counts in each resample.

    Attributes
    ----------
    weight : int32 (resamples, clusters).
    cluster : int64 (n,), cluster of each row, 0-based without gaps.
    """

    weight: NDArray[np.int32]
    cluster: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure with its interval, low <= value <= high."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """First less second over the same rows.

    Attributes
    ----------
    value, low, high : difference and its interval at the level that Holm's correction gives it.
    p : two-sided, from the share of resamples on the other side of 0.
    p_adjusted : after Holm over all differences of the call.
    """

    value: float
    low: float
    high: float
    p: float
    p_adjusted: float


def draw(
    cluster: NDArray[np.integer], positive: NDArray[np.bool_], *, resamples: int = RESAMPLES, seed: int = 0
) -> Resamples:
    """Draw whole clusters with replacement, those that hold a positive and those that hold none apart.

    So every resample has as many clusters of each kind as the data: AUROC is always defined.

    Parameters
    ----------
    cluster : int (n,).
    positive : bool (n,).
    resamples : number of resamples, >= 1.
    seed : of the generator; nothing else is random.
    """
    if resamples < 1:
        raise InputError(f"{resamples} resamples", expected="at least 1")
    _, inverse = np.unique(cluster, return_inverse=True)
    number = int(inverse.max()) + 1 if inverse.size else 0
    holds = np.bincount(inverse, weights=positive, minlength=number) > 0
    generator = np.random.default_rng(seed)
    weight = np.zeros((resamples, number), dtype=np.int32)
    for members in (np.flatnonzero(holds), np.flatnonzero(~holds)):
        if members.size:
            picks = generator.integers(0, members.size, (resamples, members.size))
            places = picks + np.arange(resamples)[:, None] * members.size
            counted = np.bincount(places.ravel(), minlength=resamples * members.size)
            weight[:, members] = counted.reshape(resamples, members.size)
    return Resamples(weight, inverse.astype(np.int64))


def resampled_auroc(score: NDArray[np.float64], positive: NDArray[np.bool_], drawn: Resamples) -> NDArray[np.float64]:
    """AUROC of every resample, float64 (resamples,), ties one half; NaN where a resample holds one class alone."""
    clean = np.flatnonzero(~positive)
    clean = clean[np.argsort(score[clean], kind="stable")]
    poison = np.flatnonzero(positive)
    below, up_to = (np.searchsorted(score[clean], score[poison], side=side) for side in ("left", "right"))
    out = np.empty(drawn.weight.shape[0])
    step = max(1, _CELLS // max(1, score.size))
    for begin in range(0, out.size, step):
        weight = drawn.weight[begin : begin + step]
        # How many clean rows a resample holds up to each place: a planted row beats those below it, and half its equals
        passed = np.zeros((weight.shape[0], clean.size + 1))
        np.cumsum(weight[:, drawn.cluster[clean]], axis=1, out=passed[:, 1:])
        counts = weight[:, drawn.cluster[poison]].astype(np.float64)
        won = (counts * (passed[:, below] + passed[:, up_to])).sum(axis=1) / 2
        pairs = counts.sum(axis=1) * passed[:, -1]
        out[begin : begin + step] = np.divide(won, pairs, out=np.full(won.shape, np.nan), where=pairs > 0)
    return out


def auroc_estimate(
    score: NDArray[np.float64], positive: NDArray[np.bool_], drawn: Resamples, *, level: float = 0.95
) -> Estimate:
    """AUROC with its percentile interval.

    Where all resamples agree (perfect separation, say) resampling knows no width: the interval is then Wilson's at the
    number of clusters of the rarer kind.

    Raises
    ------
    InputError : one class alone.
    """
    value = auroc(score[positive].tolist(), score[~positive].tolist())
    values = resampled_auroc(score, positive, drawn)
    low, high = np.nanquantile(values, (0.5 - level / 2, 0.5 + level / 2))
    if high - low < 1e-12:
        kinds = [np.unique(drawn.cluster[mask]).size for mask in (positive, ~positive)]
        low, high = wilson(value, float(min(kinds)), level)
    return Estimate(value, float(min(low, value)), float(max(high, value)))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two detectors over the same rows.

    Attributes
    ----------
    first, second : float64 (n,), scores.
    positive : bool (n,).
    drawn : resamples of those rows.
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    positive: NDArray[np.bool_]
    drawn: Resamples


def paired_differences(comparisons: Sequence[Comparison], *, level: float = 0.95) -> list[Difference]:
    """AUROC of the first less that of the second, for each comparison, both under the same resamples.

    Parameters
    ----------
    comparisons : all that are made at once: Holm's correction counts them.
    level : joint level of the intervals.
    """
    here, draws, p_values = [], [], []
    for one in comparisons:
        scores, positive = (one.first, one.second), one.positive
        here.append(
            auroc(scores[0][positive].tolist(), scores[0][~positive].tolist())
            - auroc(scores[1][positive].tolist(), scores[1][~positive].tolist())
        )
        change = np.subtract(*(resampled_auroc(score, positive, one.drawn) for score in scores))
        change = change[np.isfinite(change)]
        draws.append(change)
        tail = min(int((change <= 0).sum()), int((change >= 0).sum()))
        p_values.append(min(1.0, 2 * (tail + 1) / (change.size + 1)))
    found = []
    levels = holm_levels(p_values, level)
    for one, value, change, p, adjusted, own in zip(
        comparisons, here, draws, p_values, holm(p_values), levels, strict=True
    ):
        low, high = np.quantile(change, (0.5 - own / 2, 0.5 + own / 2)) if change.size else (value, value)
        if high - low < 1e-12:
            # No unit told the two apart: Wilson's bound on how many could, so that agreement is not taken for proof
            kinds = [np.unique(one.drawn.cluster[mask]).size for mask in (one.positive, ~one.positive)]
            room = wilson(0.0, float(min(kinds)), own)[1]
            low, high = value - room, value + room
        found.append(
            Difference(value, float(max(-1.0, min(low, value))), float(min(1.0, max(high, value))), p, float(adjusted))
        )
    return found
