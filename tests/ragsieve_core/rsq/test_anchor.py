"""Hypergeometric tail and Simes against SciPy and by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, hypergeom

from ragsieve_core.rsq.anchor import anchor_concentration, hypergeometric_tail, simes
from ragsieve_core.rsq.config import RSQConfig


@given(st.integers(2, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_hypergeometric_equals_scipy(case: tuple[int, int, int]) -> None:
    n, K, k = case
    for x in range(min(K, k) + 2):
        assert hypergeometric_tail(x, n, K, k) == pytest.approx(hypergeom.sf(x - 1, n, K, k), abs=1e-12)


def test_hypergeometric_by_hand() -> None:
    # 2 marked of 4, draw 2: P[both] = 1/6, P[at least one] = 1 - 1/6
    assert hypergeometric_tail(2, 4, 2, 2) == pytest.approx(1 / 6)
    assert hypergeometric_tail(1, 4, 2, 2) == pytest.approx(5 / 6)


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=12))
def test_simes_equals_the_smallest_benjamini_hochberg_value(p_values: list[float]) -> None:
    assert simes(p_values) == pytest.approx(false_discovery_control(p_values, method="bh").min())


def test_simes_by_hand_and_empty() -> None:
    assert simes([0.01, 0.04, 0.9]) == pytest.approx(0.03)
    assert simes([]) == 1.0


def test_ranking_by_hand() -> None:
    """Two candidates share 'wells' and '1898', a tail document 'wells' too; 'of' is too short, 'harbour' was asked."""
    texts = ["Wells of 1898 harbour", "wells of 1898 harbour", "alpha", "wells beta", "gamma", "delta"]
    found = anchor_concentration("the harbour", texts, RSQConfig(n=6, k=3))
    # wells: K = 3, x = 2: (C(3,2) C(3,1) + C(3,3)) / C(6,3) = 10/20; 1898: K = 2, x = 2: C(2,2) C(4,1) / 20 = 4/20
    assert {t.token: (t.K, t.x, t.p) for t in found[0].tokens} == {
        "1898": (2, 2, pytest.approx(0.2)),
        "wells": (3, 2, pytest.approx(0.5)),
    }
    assert found[0].p_anchor == pytest.approx(min(2 * 0.2 / 1, 2 * 0.5 / 2))
    assert found[0].e_anchor == pytest.approx(-math.log10(0.4) / math.log10(20))
    assert found[2].p_anchor == 1.0
    assert found[2].e_anchor == 0.0
    assert found[2].tokens == ()
