"""How far a set of values has moved, as an effect size that does not grow with the number of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from ragsieve_core.errors import InputError

TOO_FEW: Final = "too few"
LEAST_VALUES: Final = 30
"""Below this many values on either side nothing is said: the effect of chance alone then often looks medium."""
_BOUNDS: Final = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))


@dataclass(frozen=True, slots=True)
class Drift:
    """Two sets of values, before and now.

    Attributes
    ----------
    before, now : number of values.
    delta : Cliff's delta, -1 to 1, above 0 where the values of now are higher; None below the least number of values.
    size : negligible, small, medium or large; ``too few`` where nothing is said.
    """

    before: int
    now: int
    delta: float | None
    size: str


def cliffs_delta(before: ArrayLike, now: ArrayLike) -> float:
    """P(now > before) - P(now < before) over all pairs, in [-1, 1]; ties count for neither. O(n log n).

    Unlike a difference of means over a standard deviation it needs no shape of the distribution: the terms are bounded
    below and most of them are equal.

    Raises
    ------
    InputError
        no value on a side, or one that is not finite.

    Source: Cliff 1993, Psychological Bulletin 114.
    """
    first, second = (np.asarray(values, dtype=np.float64).ravel() for values in (before, now))
    if not first.size or not second.size:
        raise InputError("an effect size of no values", expected="at least one value before and one now")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InputError("an effect size of values that are not finite", expected="finite numbers")
    first = np.sort(first)
    below = np.searchsorted(first, second, side="left").sum(dtype=np.int64)
    not_above = np.searchsorted(first, second, side="right").sum(dtype=np.int64)
    above = first.size * second.size - int(not_above)
    return (int(below) - above) / (first.size * second.size)


def effect_size(delta: float) -> str:
    """Word for an effect, by its absolute value: below 0.147 negligible, 0.33 small, 0.474 medium, else large.

    Source: Romano et al. 2006, Annual Meeting of the Florida Association of Institutional Research.
    """
    return next((word for bound, word in _BOUNDS if abs(delta) < bound), "large")


def drift(before: ArrayLike, now: ArrayLike, *, least: int = LEAST_VALUES) -> Drift:
    """Compare two sets of values; values that are not finite count as absent.

    Parameters
    ----------
    least : number of values that both sides need, at least 1.
    """
    if least < 1:
        raise InputError(f"a least number of values of {least}", expected="1 or more")
    first, second = (np.asarray(values, dtype=np.float64).ravel() for values in (before, now))
    first, second = first[np.isfinite(first)], second[np.isfinite(second)]
    if min(first.size, second.size) < least:
        return Drift(first.size, second.size, None, TOO_FEW)
    delta = cliffs_delta(first, second)
    return Drift(first.size, second.size, delta, effect_size(delta))
