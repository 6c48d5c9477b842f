"""Cliff's delta against counted pairs and SciPy's Mann-Whitney U."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.drift import TOO_FEW, cliffs_delta, drift, effect_size

VALUES = st.lists(st.integers(-3, 3), min_size=1, max_size=30)


def test_pairs_counted_by_hand() -> None:
    # Of the six pairs (before, now), now is higher in 1-2 1-3 2-3 and lower in none; 2-2 ties; 4-2 and 4-3 are lower
    assert cliffs_delta([1, 2, 4], [2, 3]) == pytest.approx((3 - 2) / 6)
    assert cliffs_delta([1, 2], [3, 4]) == 1.0
    assert cliffs_delta([3, 4], [1, 2]) == -1.0
    assert cliffs_delta([1, 1], [1]) == 0.0


@given(VALUES, VALUES)
def test_equals_the_rank_test_of_scipy(before: list[int], now: list[int]) -> None:
    expected = 2 * mannwhitneyu(now, before).statistic / (len(now) * len(before)) - 1
    assert cliffs_delta(before, now) == pytest.approx(expected, abs=1e-12)
    assert cliffs_delta(now, before) == pytest.approx(-expected, abs=1e-12)


@pytest.mark.parametrize(
    ("delta", "word"),
    [(0.0, "negligible"), (-0.146, "negligible"), (0.147, "small"), (-0.4, "medium"), (0.474, "large")],
)
def test_words(delta: float, word: str) -> None:
    assert effect_size(delta) == word


def test_too_few_values_say_nothing_and_absent_ones_do_not_count() -> None:
    found = drift([1.0] * 30, [2.0] * 29 + [np.nan])
    assert (found.before, found.now, found.delta, found.size) == (30, 29, None, TOO_FEW)
    assert drift([1.0] * 30, [2.0] * 30).delta == 1.0
    assert drift([], []).size == TOO_FEW


def test_a_mistake_is_named() -> None:
    for one, other in (([], [1.0]), ([1.0], [float("inf")])):
        with pytest.raises(InputError):
            cliffs_delta(one, other)
    with pytest.raises(InputError):
        drift([1.0], [1.0], least=0)
