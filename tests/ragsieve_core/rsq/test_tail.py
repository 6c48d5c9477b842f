"""Mid-rank against SciPy's percentile of score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import percentileofscore

from ragsieve_core.rsq.tail import mid_rank


@given(st.integers(0, 5), st.lists(st.integers(0, 5), min_size=1, max_size=20))
def test_equals_scipy(value: int, tail: list[int]) -> None:
    below_share = percentileofscore(tail, value, kind="mean") / 100
    expected = (0.5 + (1 - below_share) * len(tail)) / (len(tail) + 1)
    assert mid_rank(value, tail) == pytest.approx(expected)


def test_by_hand() -> None:
    assert mid_rank(1.0, [0.0] * 15) == pytest.approx(0.5 / 16)
    assert mid_rank(0.0, [0.0] * 15) == pytest.approx(0.5)
    assert mid_rank(0.0, []) == 0.5
