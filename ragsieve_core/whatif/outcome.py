"""What a setting would do: volume, planted documents caught, clean ones removed, and what flips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.rate import Rate, clustered_rate

Basis = Literal["labels", "audit_sample", "flagged_only", "none"]
"""Where truth comes from: all rows of some kind labelled, a random sample of known probability, verdicts on flagged
rows alone, or nowhere."""

UNKNOWN, CLEAN, POISON = -1, 0, 1
NO_VERDICT, KEEP, QUARANTINE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Truth:
    """Labels of rows.

    Attributes
    ----------
    poison : int8 (n,), 1 planted, 0 clean, -1 not labelled.
    cluster : int64 (n,), independent unit: the query for RSQ; target or source for RSG.
    basis : where they come from.
    weight : float64 (n,), one over the probability of being drawn; None = all 1.
    """

    poison: NDArray[np.int8]
    cluster: NDArray[np.int64]
    basis: Basis
    weight: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class TruthRates:
    """Rates against labels, each None where the labels cannot say it.

    Attributes
    ----------
    basis : see :data:`Basis`. With ``flagged_only`` there is precision and nothing else: what was never flagged was
        never labelled, so neither catching nor wrong removal is known.
    caught : share of planted rows flagged.
    removed : share of clean rows flagged.
    precision : share of labelled flagged rows that are planted.
    """

    basis: Basis
    caught: Rate | None
    removed: Rate | None
    precision: Rate | None


def truth_rates(flagged: NDArray[np.bool_], truth: Truth) -> TruthRates:
    """Rates of a setting over labelled rows, with cluster intervals."""
    if truth.basis == "none":
        return TruthRates("none", None, None, None)

    def rate(hit: NDArray[np.bool_], rows: NDArray[np.bool_]) -> Rate | None:
        # One look for the labelled rows: they are few, or all
        chosen = np.flatnonzero(rows)
        if not chosen.size:
            return None
        weight = None if truth.weight is None else truth.weight[chosen]
        return clustered_rate(hit[chosen], truth.cluster[chosen], weight=weight)

    poison = truth.poison == POISON
    precision = rate(poison, flagged & (truth.poison != UNKNOWN))
    if truth.basis == "flagged_only":
        return TruthRates(truth.basis, None, None, precision)
    return TruthRates(truth.basis, rate(flagged, poison), rate(flagged, truth.poison == CLEAN), precision)


@dataclass(frozen=True, slots=True)
class Flips:
    """Rows whose flag changes.

    Attributes
    ----------
    raised : rows flagged now and not before, increasing.
    released : rows flagged before and not now, increasing.
    contradicting : those among them against a person's verdict: raised though kept, released though quarantined.
    """

    raised: NDArray[np.int64]
    released: NDArray[np.int64]
    contradicting: NDArray[np.int64]


def flips(before: NDArray[np.bool_], after: NDArray[np.bool_], verdict: NDArray[np.int8] | None = None) -> Flips:
    """Which flags change.

    Parameters
    ----------
    before, after : bool (n,).
    verdict : int8 (n,), 0 none, 1 keep, 2 quarantine; None = nobody decided.
    """
    if before.shape != after.shape:
        raise InputError(f"{before.size} flags before and {after.size} after", expected="the same rows")
    raised, released = np.flatnonzero(after & ~before), np.flatnonzero(before & ~after)
    if verdict is None:
        return Flips(raised, released, np.zeros(0, dtype=np.int64))
    against = np.r_[raised[verdict[raised] == KEEP], released[verdict[released] == QUARANTINE]]
    return Flips(raised, released, np.sort(against))


@dataclass(frozen=True, slots=True)
class Volume:
    """Alerts a setting would have raised.

    Attributes
    ----------
    flagged : flagged rows (RSQ: candidates, RSG: documents).
    units : queries or documents looked at.
    touched : units with at least one flagged row.
    per_thousand : flagged rows per 1,000 units; NaN without units.
    recent_flagged, recent_units : of the last days.
    recent_per_thousand : flagged per 1,000 of those; NaN without any.
    per_day : int64 (days,), flagged rows by age, today first.
    """

    flagged: int
    units: int
    touched: int
    per_thousand: float
    recent_flagged: int
    recent_units: int
    recent_per_thousand: float
    per_day: NDArray[np.int64]


def volume(
    flagged: NDArray[np.bool_],
    unit: NDArray[np.integer] | None,
    age_days: NDArray[np.float32],
    *,
    days: int = 30,
) -> Volume:
    """Alert volume, in all and over the last days.

    Parameters
    ----------
    flagged : bool (n,).
    unit : int (n,), query of each row; None where every row is its own unit (documents).
    age_days : float32 (units,), age of each unit in days, >= 0 (n where every row is its own).
    days : length of the window.
    """
    rows = np.flatnonzero(flagged)
    hit = rows if unit is None else unit[rows]
    units = age_days.shape[0]
    touched = rows.size if unit is None else int(np.count_nonzero(np.bincount(hit, minlength=max(1, units))))
    recent = age_days < days
    age = age_days[hit]
    counted = np.bincount(age[age < days].astype(np.int64).clip(0), minlength=days)[:days]
    seen = int(np.count_nonzero(recent))
    return Volume(
        flagged=int(rows.size),
        units=units,
        touched=touched,
        per_thousand=1000 * rows.size / units if units else float("nan"),
        recent_flagged=int(counted.sum()),
        recent_units=seen,
        recent_per_thousand=1000 * int(counted.sum()) / seen if seen else float("nan"),
        per_day=counted.astype(np.int64),
    )
