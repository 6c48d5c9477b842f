"""Exact neighbours: against scikit-learn's brute force, ties by id, and bits that do not depend on blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.knn import nearest_neighbors, pair_cosines, screening_error


def unit(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    x = rng.standard_normal((n, d))
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


def test_equals_scikit_learn() -> None:
    x = unit(np.random.default_rng(1), 700, 48)
    found = nearest_neighbors(x, [f"{i:04d}" for i in range(700)], 16, block=128)
    brute = NearestNeighbors(n_neighbors=17, algorithm="brute", metric="cosine").fit(x.astype(np.float64))
    distance, index = brute.kneighbors(x.astype(np.float64))
    np.testing.assert_array_equal(found.index, index[:, 1:])
    np.testing.assert_allclose(found.cosine, 1 - distance[:, 1:], atol=1e-6)


def test_ties_go_by_document_id() -> None:
    x = np.zeros((5, 3), dtype=np.float32)
    x[:, 0] = 1
    found = nearest_neighbors(x, ["e", "a", "d", "b", "c"], 3)
    assert found.index.tolist() == [[1, 3, 4], [3, 4, 2], [1, 3, 4], [1, 4, 2], [1, 3, 2]]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 2**32 - 1), st.integers(1, 50))
def test_block_shape_and_order_change_no_bit(n: int, values: int, seed: int, block: int) -> None:
    """Few distinct vectors force ties and duplicates; a permuted corpus must give the same neighbours by id."""
    rng = np.random.default_rng(seed)
    x = unit(rng, values, 8)[rng.integers(0, values, n)]
    ids = [f"d{i}" for i in range(n)]
    whole = nearest_neighbors(x, ids, 16, block=n)
    parts = nearest_neighbors(x, ids, 16, block=block)
    np.testing.assert_array_equal(whole.index, parts.index)
    np.testing.assert_array_equal(whole.cosine.view(np.uint32), parts.cosine.view(np.uint32))
    shuffle = rng.permutation(n)
    moved = nearest_neighbors(x[shuffle], [ids[i] for i in shuffle], 16, block=block)
    for row, old in enumerate(shuffle):
        assert [ids[i] for i in whole.index[old]] == [ids[shuffle[i]] for i in moved.index[row]]
        np.testing.assert_array_equal(whole.cosine[old].view(np.uint32), moved.cosine[row].view(np.uint32))


def test_screening_error_holds_on_adversarial_sums() -> None:
    """Same-sign entries maximise the rounding of a float32 sum; the bound must still cover it."""
    rng = np.random.default_rng(3)
    x = np.abs(unit(rng, 400, 1024))
    x /= np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True).astype(np.float32)
    exact = x.astype(np.float64) @ x.astype(np.float64).T
    assert np.abs(x @ x.T - exact).max() < screening_error(1024)


def test_pair_cosine_is_symmetric_bit_for_bit() -> None:
    x = unit(np.random.default_rng(5), 50, 384)
    left, right = np.triu_indices(50)
    np.testing.assert_array_equal(
        pair_cosines(x, left, right).view(np.uint32), pair_cosines(x, right, left).view(np.uint32)
    )


def test_one_document_is_an_error() -> None:
    with pytest.raises(InputError, match="at least two documents"):
        nearest_neighbors(np.ones((1, 4), dtype=np.float32), ["a"], 16)
