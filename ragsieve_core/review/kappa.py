"""Cohen's kappa of two people with a large-sample interval."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from ragsieve_core.errors import InputError


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two people beyond chance.

    Attributes
    ----------
    n : items that both judged.
    observed, expected : share of equal answers, and that expected of independent people with the same margins.
    kappa : (observed - expected) / (1 - expected), at most 1, higher = more agreement; None where there is no item, or
        both always gave one and the same answer (expected = 1).
    low, high : interval of the given level within [-1, 1]; None where kappa is, or n < 2.
    """

    n: int
    observed: float | None
    expected: float | None
    kappa: float | None
    low: float | None
    high: float | None


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable], *, level: float = 0.95) -> Agreement:
    """Kappa with the interval of Fleiss, Cohen and Everitt (1969), eq. 13: kappa ± z · standard error.

    Parameters
    ----------
    first, second : answers of two people to the same n items, in the same order.
    level : coverage of the interval, (0, 1).

    Raises
    ------
    InputError
        answers of unequal number, or a level outside (0, 1).
    """
    if len(first) != len(second):
        raise InputError(f"{len(first)} and {len(second)} answers", expected="one of each person per item")
    if not 0 < level < 1:
        raise InputError(f"a level of {level}", where="level", expected="between 0 and 1")
    n = len(first)
    if n == 0:
        return Agreement(0, None, None, None, None, None)
    names = list(dict.fromkeys([*first, *second]))
    place = {name: number for number, name in enumerate(names)}
    size = len(names)
    counts = [[0] * size for _ in range(size)]
    for a, b in zip(first, second, strict=True):
        counts[place[a]][place[b]] += 1
    # Counted first: sums of 1 / n need not come to 1, and equal answers alone would seem to differ from chance
    cells = [[count / n for count in row] for row in counts]
    rows = [sum(cells[i]) for i in range(size)]
    columns = [sum(cells[i][j] for i in range(size)) for j in range(size)]
    observed = sum(cells[i][i] for i in range(size))
    expected = sum(rows[i] * columns[i] for i in range(size))
    if expected >= 1:
        return Agreement(n, observed, expected, None, None, None)
    kappa = (observed - expected) / (1 - expected)
    if n < 2:
        return Agreement(n, observed, expected, kappa, None, None)
    agree = sum(cells[i][i] * ((1 - expected) - (rows[i] + columns[i]) * (1 - observed)) ** 2 for i in range(size))
    differ = (1 - observed) ** 2 * sum(
        cells[i][j] * (columns[i] + rows[j]) ** 2 for i in range(size) for j in range(size) if i != j
    )
    centre = (observed * expected - 2 * expected + observed) ** 2
    variance = max(0.0, agree + differ - centre) / (n * (1 - expected) ** 4)
    reach = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance)
    return Agreement(n, observed, expected, kappa, max(-1.0, kappa - reach), min(1.0, kappa + reach))
