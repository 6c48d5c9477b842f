from __future__ import annotations

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.review.survey import hajek, horvitz_thompson


def test_by_hand() -> None:
    total = horvitz_thompson([1, 0, 2], [0.5, 0.25, 1.0])
    assert total.estimate == pytest.approx(4.0)
    assert total.error == pytest.approx(np.sqrt(0.5 / 0.25))
    mean = hajek([1, 0, 2], [0.5, 0.25, 1.0])
    assert mean.estimate == pytest.approx(4 / 7)


def test_a_census_has_no_error() -> None:
    assert horvitz_thompson([1, 1, 0], [1, 1, 1]).error == 0
    assert hajek([1, 1, 0], [1, 1, 1]).estimate == pytest.approx(2 / 3)


def test_unbiased_and_covering_in_simulation() -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(3_000) < 0.1).astype(float)
    pi = np.where(y + rng.random(3_000) > 0.8, 0.4, 0.1)
    totals, covered, means = [], 0, 0
    for _ in range(500):
        drawn = rng.random(3_000) < pi
        found = horvitz_thompson(y[drawn].tolist(), pi[drawn].tolist())
        totals.append(found.estimate)
        covered += found.low <= y.sum() <= found.high
        share = hajek(y[drawn].tolist(), pi[drawn].tolist())
        means += share.low <= y.mean() <= share.high
    assert np.mean(totals) == pytest.approx(y.sum(), rel=0.02)
    assert 0.92 <= covered / 500 <= 0.98
    assert 0.92 <= means / 500 <= 0.98


@pytest.mark.parametrize(("values", "probabilities"), [([1], [0.0]), ([1], [1.1]), ([1, 2], [0.5])])
def test_what_is_no_sample(values: list, probabilities: list) -> None:
    for estimate in (hajek, horvitz_thompson):
        with pytest.raises(InputError):
            estimate(values, probabilities)
    with pytest.raises(InputError):
        hajek([], [])
