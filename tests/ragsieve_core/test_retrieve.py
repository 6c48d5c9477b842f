"""Exact retrieval against scikit-learn, with exclusions and ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import cosine_similarity

from ragsieve_core.errors import InputError
from ragsieve_core.retrieve import ExactIndex


def unit(rng: np.random.Generator, *shape: int) -> np.ndarray:
    x = rng.standard_normal(shape)
    return (x / np.linalg.norm(x, axis=-1, keepdims=True)).astype(np.float32)


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 30), st.integers(0, 10_000))
def test_equals_scikit_learn(n: int, depth: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, q = unit(rng, n, 12), unit(rng, 12)
    excluded = rng.random(n) < 0.3
    hits = ExactIndex(x, [f"{i:03d}" for i in range(n)]).search(q, depth, excluded)
    brute = cosine_similarity(q[None].astype(np.float64), x.astype(np.float64))[0]
    allowed = [i for i in np.argsort(-brute, kind="stable") if not excluded[i]]
    assert hits.rows.tolist() == allowed[:depth]
    np.testing.assert_allclose(hits.similarity, brute[hits.rows], atol=1e-6)


def test_ties_go_by_document_id() -> None:
    x = np.tile(np.array([[1, 0]], dtype=np.float32), (4, 1))
    assert ExactIndex(x, ["d", "b", "a", "c"]).search(x[0], 3).rows.tolist() == [2, 1, 3]


def test_everything_excluded() -> None:
    x = np.eye(3, dtype=np.float32)
    assert ExactIndex(x, ["a", "b", "c"]).search(x[0], 5, np.ones(3, dtype=bool)).rows.size == 0


def test_other_encoder_is_named() -> None:
    with pytest.raises(InputError, match="3 dimensions"):
        ExactIndex(np.eye(2, dtype=np.float32), ["a", "b"]).search(np.ones(3, dtype=np.float32), 1)


@given(st.integers(1, 60), st.integers(1, 30), st.integers(0, 10_000))
def test_marked_rows_take_no_place_and_stand_where_they_rank(n: int, depth: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, q = unit(rng, n, 12), unit(rng, 12)
    excluded, marked = rng.random(n) < 0.2, rng.random(n) < 0.3
    index = ExactIndex(x, [f"{i:03d}" for i in range(n)])
    hits = index.search_marked(q, depth, excluded, marked)
    open_rows = [row for row in hits.rows if not marked[row]]
    assert open_rows == index.search(q, depth, excluded | marked).rows.tolist()
    everything = index.search(q, n, excluded).rows.tolist()
    assert hits.rows.tolist() == everything[: hits.rows.size]
    if len(open_rows) == depth:
        assert not marked[hits.rows[-1]]
    else:
        assert hits.rows.size >= min(depth, len(everything))
        assert hits.rows.size <= depth or not marked[hits.rows[-1]]
