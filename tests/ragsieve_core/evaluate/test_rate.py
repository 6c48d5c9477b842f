"""Wilson against SciPy, the design effect by hand, and coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.rate import clustered_rate, wilson


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_equals_scipy(hits: int, n: int, level: float) -> None:
    hits = min(hits, n)
    known = binomtest(hits, n).proportion_ci(level, method="wilson")
    assert wilson(hits / n, n, level) == pytest.approx((known.low, known.high), abs=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=1, max_size=60))
def test_never_of_zero_width_and_around_the_value(rows: list[tuple[bool, int]]) -> None:
    found = clustered_rate(np.array([hit for hit, _ in rows]), np.array([unit for _, unit in rows]))
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 0.01
    assert found.design_effect >= 1
    assert found.clusters == len({unit for _, unit in rows})


def test_whole_clusters_count_as_one_observation_each() -> None:
    # 40 clusters of 5, each all hit or all missed: the variance is that of 40 observations, the effect near 5
    cluster = np.repeat(np.arange(40), 5)
    found = clustered_rate(cluster % 2 == 0, cluster)
    assert found.design_effect == pytest.approx(5, rel=0.05)
    low, high = wilson(0.5, 40)
    assert found.low == pytest.approx(low, abs=0.01)
    assert found.high == pytest.approx(high, abs=0.01)


def test_single_observations_are_binomial() -> None:
    hit = np.arange(50) < 30
    found = clustered_rate(hit, np.arange(50))
    assert (found.low, found.high) == pytest.approx(wilson(0.6, 50 / found.design_effect))
    assert found.design_effect < 1.05


def test_weights_by_hand() -> None:
    # One planted document of probability 1/4 stands for four
    found = clustered_rate(np.array([True, False, False]), np.arange(3), weight=np.array([4.0, 1.0, 1.0]))
    assert found.value == pytest.approx(4 / 6)
    assert found.n == 3


def test_nothing_observed_says_nothing() -> None:
    found = clustered_rate(np.zeros(0, bool), np.zeros(0, np.int64))
    assert np.isnan(found.value)
    assert (found.low, found.high, found.n) == (0, 1, 0)


def test_wrong_input() -> None:
    with pytest.raises(InputError):
        clustered_rate(np.zeros(3, bool), np.zeros(2, np.int64))
    with pytest.raises(InputError):
        clustered_rate(np.zeros(1, bool), np.zeros(1, np.int64), level=1.0)


@pytest.mark.parametrize("clusters", [20, 100])
@pytest.mark.parametrize("correlation", [0.0, 0.3])
@pytest.mark.parametrize("rate", [0.6, 0.8, 0.9, 0.95, 0.98])
def test_coverage(clusters: int, correlation: float, rate: float) -> None:
    """Beta-binomial clusters of five; the full table is made by benchmarks/interval_coverage.py."""
    rng = np.random.default_rng(int(1000 * rate) + clusters)
    rounds = 1500
    if correlation:
        spread = (1 - correlation) / correlation
        hits = rng.binomial(5, rng.beta(rate * spread, (1 - rate) * spread, (rounds, clusters)))
    else:
        hits = rng.binomial(5, rate, (rounds, clusters))
    cluster = np.repeat(np.arange(clusters), 5)
    held = 0
    for row in hits:
        found = clustered_rate((np.arange(5) < row[:, None]).ravel(), cluster)
        held += found.low <= rate <= found.high
    # 93 to 98 %, and three standard errors of 1,500 rounds
    assert 0.93 - 0.018 <= held / rounds <= 0.98 + 0.012
