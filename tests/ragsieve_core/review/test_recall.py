from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from ragsieve_core.errors import InputError
from ragsieve_core.review.recall import StratumCount, missed_interval, recall_from


@pytest.mark.parametrize(
    ("population", "drawn", "seen"), [(50, 10, 0), (50, 10, 3), (20, 20, 4), (30, 5, 5), (7, 0, 0)]
)
def test_limits_by_trying_every_number(population: int, drawn: int, seen: int) -> None:
    possible = [
        k
        for k in range(population + 1)
        if hypergeom.sf(seen - 1, population, k, drawn) > 0.025 and hypergeom.cdf(seen, population, k, drawn) > 0.025
    ]
    found = missed_interval([StratumCount(population, drawn, seen, drawn - seen)])
    assert found == (min(possible), max(possible))


def test_the_truth_is_covered_in_simulation() -> None:
    """Rare positives in two strata of 1,000 and 4,000, samples of 120 each: at least 95 of 100 intervals cover."""
    rng = np.random.default_rng(2)
    truth = [np.arange(1_000) < 40, np.arange(4_000) < 12]
    true, covered, estimates = 60 / (60 + 52), 0, []
    for _ in range(400):
        counts = []
        for part in truth:
            drawn = rng.choice(part, 120, replace=False)
            counts.append(StratumCount(len(part), 120, int(drawn.sum()), int(120 - drawn.sum())))
        found = recall_from(counts, found=60)
        covered += found.low <= true <= found.high
        estimates.append(found.missed)
    assert covered / 400 >= 0.95
    assert np.mean(estimates) == pytest.approx(52, rel=0.1)


def test_unanswered_widen_both_ways() -> None:
    whole = recall_from([StratumCount(100, 20, 2, 18)], found=10)
    part = recall_from([StratumCount(100, 20, 2, 10)], found=10, undecided=5)
    assert part.low < whole.low
    assert part.high > whole.high


def test_without_samples_there_is_no_number() -> None:
    for found in (
        recall_from([], found=10),
        recall_from([StratumCount(100, 0, 0, 0)], found=10),
    ):
        assert (found.state, found.recall, found.low, found.high) == ("no_samples", None, None, None)
        assert "cannot be estimated from flagged items" in found.text
    assert recall_from([StratumCount(100, 5, 0, 0)], found=10).state == "no_answers"
    assert recall_from([StratumCount(100, 5, 0, 5)], found=0).state == "nothing_found"


def test_a_census_is_exact() -> None:
    found = recall_from([StratumCount(100, 100, 5, 95)], found=15)
    assert (found.recall, found.low, found.high) == (0.75, 0.75, 0.75)


@pytest.mark.parametrize("counts", [(5, 6, 0, 0), (5, 5, 3, 3), (5, 5, -1, 0)])
def test_counts_that_do_not_fit(counts: tuple[int, ...]) -> None:
    with pytest.raises(InputError):
        StratumCount(*counts)
