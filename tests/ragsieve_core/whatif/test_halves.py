"""A threshold is reported on targets that did not choose it."""

from __future__ import annotations

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.whatif.halves import chosen_threshold


def test_no_unit_is_in_both_halves_and_the_budget_holds_where_it_was_chosen() -> None:
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(200), 5)
    poison = cluster < 40
    score = rng.normal(size=1000) + 2.5 * poison
    found = chosen_threshold(score, poison, cluster, 0.05, seed=4)
    assert found.chosen_on + found.reported_on == 200
    assert found.caught.n == 100
    assert found.removed.n == 400
    assert 0.01 < found.removed.value < 0.12
    again = chosen_threshold(score, poison, cluster, 0.05, seed=4)
    assert again == found
    assert chosen_threshold(score, poison, cluster, 0.05, seed=5) != found


def test_too_few_units() -> None:
    with pytest.raises(InputError, match="too few"):
        chosen_threshold(np.array([1.0, 0.0]), np.array([True, False]), np.array([0, 1]), 0.05)
