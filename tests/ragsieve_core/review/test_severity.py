from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.review.severity import severity


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((2.0, 1.0, 99, 5, "untrusted", 3), 100.0),
        ((0.0, 1.0, 0, 1, "trusted", 1), 0.0),
        ((1.0, 1.0, 9, 3, "neutral", 2), 20 + 12.5 + 7.5 + 5 + 5),
        ((None, 0.5, 0, 1), 5.0),
    ],
)
def test_by_hand(arguments: tuple, expected: float) -> None:
    assert severity(*arguments) == pytest.approx(expected)


@given(st.floats(0, 100), st.floats(0.01, 10), st.integers(0, 10**6), st.integers(1, 10**4))
def test_between_0_and_100_and_rising(score: float, threshold: float, contexts: int, size: int) -> None:
    low = severity(score, threshold, contexts, size, "trusted", 1)
    high = severity(score + 1, threshold, contexts + 1, size + 1, "untrusted", 3)
    assert 0 <= low <= high <= 100
