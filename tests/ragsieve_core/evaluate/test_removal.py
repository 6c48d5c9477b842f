"""Candidates removed and queries touched."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta

from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.removal import removal


def test_shares_by_hand() -> None:
    flags = [[True, True, False], [False, True, False], [False, False, False]]
    planted = [[True, False, False], [True, False, False], [False, False, False]]
    found = removal(flags, planted)
    assert found.detection.value == 1 / 2
    assert found.clean_removed.value == pytest.approx(2 / 7)
    assert found.queries_touched.value == pytest.approx(2 / 3)
    assert found.queries == 3


def test_no_event_still_leaves_doubt_by_the_exact_binomial_limit() -> None:
    found = removal([[False] * 5] * 40, [[False] * 5] * 40)
    assert math.isnan(found.detection.value)
    assert (found.queries_touched.value, found.queries_touched.low) == (0.0, 0.0)
    assert found.queries_touched.high == pytest.approx(beta.ppf(0.975, 1, 40))


def test_candidates_of_a_query_fall_together_so_the_interval_is_wide() -> None:
    # 10 of 100 queries lose all five: by query the standard error is 0.03, by candidate it would be 0.013
    flags = [[i < 10] * 5 for i in range(100)]
    found = removal(flags, [[False] * 5] * 100).clean_removed
    assert found.high - found.low == pytest.approx(2 * 1.96 * math.sqrt(0.1 * 0.9 / 100), rel=0.15)


def test_the_same_seed_gives_the_same_interval() -> None:
    drawn = np.random.default_rng(1).random((30, 5)) < 0.2
    first, second = (removal(drawn.tolist(), [[False] * 5] * 30) for _ in range(2))
    assert first.clean_removed == second.clean_removed


def test_shapes_that_differ_are_refused() -> None:
    with pytest.raises(InputError):
        removal([], [])
    with pytest.raises(InputError, match="query 0"):
        removal([[True]], [[True, False]])
