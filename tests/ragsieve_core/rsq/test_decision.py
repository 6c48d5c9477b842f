"""The published sum by default; weights, gates and support by hand."""

import dataclasses

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.decision import combined_score

TERM = st.floats(0, 5, allow_nan=False)


@given(TERM, TERM, TERM, TERM)
def test_the_default_is_the_plain_sum_bit_for_bit(a: float, s: float, p: float, q: float) -> None:
    columns = [np.array([value]) for value in (a, s, p, q)]
    assert combined_score(*columns, RSQConfig())[0] == a + s + p + q


def test_by_hand() -> None:
    terms = [np.array(column) for column in ([0.5, 0.0], [1.0, 1.0], [0.25, 0.1], [0.0, 0.3])]
    plain = RSQConfig()
    weighted = combined_score(*terms, dataclasses.replace(plain, weights=(2.0, 0.5, 1.0, 0.0)))
    np.testing.assert_allclose(weighted, [1.0 + 0.5 + 0.25, 0.5 + 0.1])
    gated = combined_score(*terms, dataclasses.replace(plain, gates=(0.0, 0.0, 0.25, 0.31)))
    np.testing.assert_allclose(gated, [1.75, 1.0])
    # Others come to 0.75 and 0.4: script counts in the first alone
    supported = combined_score(*terms, dataclasses.replace(plain, script_support=0.5))
    np.testing.assert_allclose(supported, [1.75, 0.4])
