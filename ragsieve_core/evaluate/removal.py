"""What a query-time rule takes away: planted candidates, clean ones, and how many questions lose anything clean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval over resampled queries; all NaN where there is nothing to take a share of."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Removal:
    """Counts of one rule over many queries.

    Attributes
    ----------
    queries : number of queries.
    detection : planted candidates flagged / planted candidates.
    clean_removed : clean candidates flagged / clean candidates.
    queries_touched : queries with at least one clean candidate flagged / queries. A rule that flags one candidate in a
        hundred may touch one query in twenty: what a user notices is this.
    """

    queries: int
    detection: Share
    clean_removed: Share
    queries_touched: Share


def removal(
    flags: Sequence[Sequence[bool]],
    planted: Sequence[Sequence[bool]],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Removal:
    """Shares removed, with 95 % percentile intervals over resampled queries.

    Candidates of one query stand or fall together, so queries are resampled, not candidates. Where no query shows an
    event (or all queries are full of them) resampling can see no doubt; the interval then ends at the exact binomial
    limit 1 - 0.025 ** (1 / queries) away from it.

    Parameters
    ----------
    flags : per query, whether each candidate was flagged.
    planted : per query, whether each candidate was planted; same shape.

    Raises
    ------
    InputError : no queries, or shapes that differ.
    """
    if len(flags) == 0 or len(flags) != len(planted):
        raise InputError(f"flags of {len(flags)} queries, labels of {len(planted)}", expected="the same, at least one")
    rows = np.zeros((len(flags), 5))
    for place, (flag, bad) in enumerate(zip(flags, planted, strict=True)):
        if len(flag) != len(bad):
            raise InputError(f"query {place}: {len(flag)} flags, {len(bad)} labels", expected="one of each a candidate")
        hit, label = np.asarray(flag, dtype=bool), np.asarray(bad, dtype=bool)
        clean = hit & ~label
        rows[place] = ((hit & label).sum(), label.sum(), clean.sum(), (~label).sum(), clean.any())
    drawn = np.random.default_rng(seed).integers(0, len(rows), (resamples, len(rows)))
    sums = rows[drawn].sum(axis=1)
    ones = np.ones(len(rows))
    return Removal(
        len(rows),
        _share(rows[:, 0], rows[:, 1], sums, lambda s: (s[:, 0], s[:, 1])),
        _share(rows[:, 2], rows[:, 3], sums, lambda s: (s[:, 2], s[:, 3])),
        _share(rows[:, 4], ones, sums, lambda s: (s[:, 4], np.full(len(s), len(rows)))),
    )


_Floats = NDArray[np.float64]


def _share(events: _Floats, cases: _Floats, sums: _Floats, of: Callable[[_Floats], tuple[_Floats, _Floats]]) -> Share:
    if not cases.sum():
        return Share(float("nan"), float("nan"), float("nan"))
    value = float(events.sum() / cases.sum())
    top, bottom = of(sums)
    some = bottom > 0
    low, high = np.quantile(top[some] / bottom[some], (0.025, 0.975))
    limit = 1 - 0.025 ** (1 / int((cases > 0).sum()))
    if value == 0:
        high = limit
    if value == 1:
        low = 1 - limit
    return Share(value, float(low), float(high))
