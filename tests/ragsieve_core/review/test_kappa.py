from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from ragsieve_core.errors import InputError
from ragsieve_core.review.kappa import cohen_kappa

ANSWERS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=60)


@given(ANSWERS)
@settings(deadline=None)
def test_as_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    first, second = zip(*pairs, strict=True)
    found = cohen_kappa(first, second)
    if found.kappa is None:
        assert len(set(first) | set(second)) == 1
    else:
        assert found.kappa == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
        assert -1 <= found.low <= found.kappa <= found.high <= 1


def test_the_interval_covers_in_simulation() -> None:
    """Two people agree with a state that is 1 with 0.4, each wrong with 0.15: kappa over 200,000 items is the truth."""
    rng = np.random.default_rng(0)

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        truth = rng.random(n) < 0.4
        return truth ^ (rng.random(n) < 0.15), truth ^ (rng.random(n) < 0.15)

    true = cohen_kappa_score(*draw(200_000))
    covered = 0
    for _ in range(400):
        a, b = draw(150)
        found = cohen_kappa(a.tolist(), b.tolist())
        covered += found.low <= true <= found.high
    assert 0.92 <= covered / 400 <= 0.98


def test_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: po 0.7, pe 0.5.
    first = ["y"] * 25 + ["n"] * 25
    second = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    found = cohen_kappa(first, second)
    assert (found.observed, found.expected, found.kappa) == (pytest.approx(0.7), pytest.approx(0.5), pytest.approx(0.4))


def test_what_has_no_kappa() -> None:
    assert cohen_kappa([], []).kappa is None
    for n in (1, 2, 6, 49, 1000):
        assert cohen_kappa(["a"] * n, ["a"] * n).kappa is None
    with pytest.raises(InputError):
        cohen_kappa(["a"], [])
    with pytest.raises(InputError):
        cohen_kappa(["a"], ["b"], level=1)
