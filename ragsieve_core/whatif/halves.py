"""Thresholds chosen on one half of the targets and reported on the other: what was fitted is never what is shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.rate import Rate, clustered_rate


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A threshold with its rates on the half that did not choose it.

    Attributes
    ----------
    threshold : smallest score at which at most the budget of the first half's clean rows is flagged (score >= it).
    chosen_on, reported_on : independent units of each half.
    caught, removed : on the other half.
    """

    threshold: float
    chosen_on: int
    reported_on: int
    caught: Rate
    removed: Rate


def chosen_threshold(
    score: NDArray[np.float64],
    poison: NDArray[np.bool_],
    cluster: NDArray[np.int64],
    budget: float,
    *,
    seed: int = 0,
) -> HeldOut:
    """Choose a threshold for a clean-removal budget on half of the units, report it on the rest.

    Units with planted rows and units without are halved apart, at random by the seed, so both halves hold both.

    Parameters
    ----------
    score : float64 (n,), labelled rows alone; higher = more suspicious.
    poison : bool (n,).
    cluster : int64 (n,).
    budget : share of clean rows that may go, in [0, 1).

    Raises
    ------
    InputError : fewer than two units of either kind, or a budget out of range.
    """
    if not 0 <= budget < 1:
        raise InputError(f"budget {budget!r} is out of range", expected="at least 0, below 1")
    _, unit = np.unique(cluster, return_inverse=True)
    number = int(unit.max()) + 1 if unit.size else 0
    holds = np.bincount(unit, weights=poison, minlength=number) > 0
    generator = np.random.default_rng(seed)
    first = np.zeros(number, dtype=bool)
    for kind in (np.flatnonzero(holds), np.flatnonzero(~holds)):
        first[generator.permutation(kind)[: kind.size // 2]] = True
    half = first[unit]
    counts = [int((half & poison).sum()), int((half & ~poison).sum()), int((~half & poison).sum())]
    if min(*counts, int((~half & ~poison).sum())) == 0:
        raise InputError(
            "too few labelled units to choose on one half and report on the other",
            expected="planted and clean rows of at least two units each",
        )
    clean = np.sort(score[half & ~poison])[::-1]
    # Strictly above the (m + 1)-th largest clean score, as a threshold that is reached
    cut = float(np.nextafter(clean[int(clean.size * budget)], np.inf))
    flagged = score >= cut
    rest_poison, rest_clean = ~half & poison, ~half & ~poison
    return HeldOut(
        threshold=cut,
        chosen_on=int(np.unique(cluster[half]).size),
        reported_on=int(np.unique(cluster[~half]).size),
        caught=clustered_rate(flagged[rest_poison], cluster[rest_poison]),
        removed=clustered_rate(flagged[rest_clean], cluster[rest_clean]),
    )
