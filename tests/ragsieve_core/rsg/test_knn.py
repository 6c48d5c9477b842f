"""Exact neighbours: against scikit-learn and the plain search, ties by id, and bits that do not depend on blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.knn import Neighbors, nearest_neighbors, pair_cosines, screening_error, search_neighbors
from tests.plain_search import plain_neighbors

PRECISIONS = ("bf16", "fp32")


def unit(x: np.ndarray) -> np.ndarray:
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


def random_unit(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return unit(rng.standard_normal((n, d)))


def assert_same(found: Neighbors, wanted: Neighbors) -> None:
    np.testing.assert_array_equal(found.index, wanted.index)
    np.testing.assert_array_equal(found.cosine.view(np.uint32), wanted.cosine.view(np.uint32))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_500_random_rows_equal_scikit_learn(precision: str) -> None:
    rng = np.random.default_rng(1)
    topic = rng.standard_normal((200, 96))
    x = unit(topic[rng.integers(0, 200, 4000)] + 0.4 * rng.standard_normal((4000, 96)))
    found, report = search_neighbors(x, [f"{i:04d}" for i in range(4000)], 16, block=700, precision=precision)
    rows = rng.choice(4000, 500, replace=False)
    brute = NearestNeighbors(n_neighbors=17, algorithm="brute", metric="cosine").fit(x.astype(np.float64))
    distance, index = brute.kneighbors(x[rows].astype(np.float64))
    np.testing.assert_allclose(found.cosine[rows], 1 - distance[:, 1:], atol=1e-6)
    # Where the neighbours differ, their cosines are one float32 number: a tie, decided by id here
    differ = found.index[rows] != index[:, 1:]
    row, _ = np.nonzero(differ)
    exact = [
        (x[rows[row]].astype(np.float64) * x[side[differ]]).sum(axis=1) for side in (found.index[rows], index[:, 1:])
    ]
    np.testing.assert_array_equal(exact[0].astype(np.float32), exact[1].astype(np.float32))
    assert differ.sum() < 8
    assert report.precision == precision


def test_ties_go_by_document_id() -> None:
    x = np.zeros((5, 3), dtype=np.float32)
    x[:, 0] = 1
    found = nearest_neighbors(x, ["e", "a", "d", "b", "c"], 3)
    assert found.index.tolist() == [[1, 3, 4], [3, 4, 2], [1, 3, 4], [1, 4, 2], [1, 3, 2]]


@settings(max_examples=80, deadline=None)
@given(
    st.integers(2, 90), st.integers(1, 60), st.integers(1, 12), st.integers(0, 2**32 - 1), st.integers(1, 50),
    st.sampled_from([0.0, 1e-7, 1e-3]), st.sampled_from(PRECISIONS),
)  # fmt: skip
def test_equals_the_plain_search(
    n: int, values: int, d: int, seed: int, block: int, spread: float, precision: str
) -> None:
    """Few distinct vectors force ties and duplicates, nearly equal ones the float64 path, small N short lists."""
    rng = np.random.default_rng(seed)
    x = unit(random_unit(rng, values, d)[rng.integers(0, values, n)] + spread * rng.standard_normal((n, d)))
    ids = [f"d{i}" for i in rng.permutation(n)]
    found, _ = search_neighbors(x, ids, 16, block=block, precision=precision)
    assert_same(found, plain_neighbors(x, ids, 16))


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 2**32 - 1), st.integers(1, 50))
def test_block_shape_and_order_change_no_bit(n: int, values: int, seed: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    x = random_unit(rng, values, 8)[rng.integers(0, values, n)]
    ids = [f"d{i}" for i in range(n)]
    whole = nearest_neighbors(x, ids, 16, block=n)
    assert_same(nearest_neighbors(x, ids, 16, block=block), whole)
    shuffle = rng.permutation(n)
    moved = nearest_neighbors(x[shuffle], [ids[i] for i in shuffle], 16, block=block)
    for row, old in enumerate(shuffle):
        assert [ids[i] for i in whole.index[old]] == [ids[shuffle[i]] for i in moved.index[row]]


def test_a_flood_of_copies_is_searched_once() -> None:
    rng = np.random.default_rng(2)
    x = random_unit(rng, 300, 32)
    x = np.concatenate([x, np.repeat(x[:1], 10_000, axis=0)])
    ids = [f"d{i:05d}" for i in rng.permutation(len(x))]
    found, report = search_neighbors(x, ids, 16)
    assert report.searched == 300
    copies = [0, *range(300, len(x))]
    first = sorted(copies, key=lambda row: ids[row])[:17]
    for row in (first[0], first[-1], copies[-1]):
        assert found.index[row].tolist() == [other for other in first if other != row][:16]


def test_rows_bf16_cannot_part_are_redone_and_counted() -> None:
    rng = np.random.default_rng(3)
    x = np.concatenate(
        [unit(random_unit(rng, 1, 64) + 1e-4 * rng.standard_normal((900, 64))), random_unit(rng, 300, 64)]
    )
    ids = [f"d{i}" for i in range(len(x))]
    found, report = search_neighbors(x, ids, 16, block=256, precision="bf16")
    assert report.redone >= 900
    assert report.redone_share == report.redone / 1200
    assert_same(found, plain_neighbors(x, ids, 16))
    nearer = unit(random_unit(rng, 1, 64) + 3e-8 * rng.standard_normal((900, 64)))
    found, report = search_neighbors(nearer, ids[:900], 16, block=256, precision="bf16")
    assert report.in_full > 0
    assert_same(found, plain_neighbors(nearer, ids[:900], 16))


def test_memory_mapped_vectors(tmp_path: Path) -> None:
    x = random_unit(np.random.default_rng(4), 500, 24)
    np.save(tmp_path / "x.npy", x)
    ids = [f"d{i}" for i in range(500)]
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    for precision in PRECISIONS:
        assert_same(search_neighbors(mapped, ids, 8, block=64, precision=precision)[0], plain_neighbors(x, ids, 8))


def test_screening_error_holds_on_adversarial_sums() -> None:
    """Same-sign entries maximise the rounding of a float32 sum; the bound must still cover it."""
    rng = np.random.default_rng(3)
    x = np.abs(random_unit(rng, 400, 1024))
    x /= np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True).astype(np.float32)
    exact = x.astype(np.float64) @ x.astype(np.float64).T
    assert np.abs(x @ x.T - exact).max() < screening_error(1024)


def test_pair_cosine_is_symmetric_bit_for_bit() -> None:
    x = random_unit(np.random.default_rng(5), 50, 384)
    left, right = np.triu_indices(50)
    np.testing.assert_array_equal(
        pair_cosines(x, left, right).view(np.uint32), pair_cosines(x, right, left).view(np.uint32)
    )


def test_one_document_is_an_error() -> None:
    with pytest.raises(InputError, match="at least two documents"):
        nearest_neighbors(np.ones((1, 4), dtype=np.float32), ["a"], 16)
