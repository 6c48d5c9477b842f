from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.calibrated.groups import _added, group_evidence
from ragsieve_core.rsg.calibrated.usable import UsableNeighbors, usable_neighbors
from ragsieve_core.rsg.knn import Neighbors


def lists(index: list[list[int]], distance: list[list[float]], jaccard: list[list[float]]) -> UsableNeighbors:
    shape = np.asarray(index).shape
    none = np.zeros(shape, dtype=bool)
    overlap = np.asarray(jaccard, dtype=float)
    return UsableNeighbors(
        np.asarray(index, dtype=np.int32), np.asarray(distance, dtype=float), overlap, overlap, none, none, 0.4, 0.04
    )


def test_three_close_documents_by_hand() -> None:
    # 0, 1, 2 lie 0.1 apart, 3 lies 0.4 away from each; words: 0.2 inside, 0.05 outside
    usable = lists(
        [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]],
        [[0.1, 0.1, 0.4]] * 3 + [[0.4] * 3],
        [[0.2, 0.2, 0.05]] * 3 + [[0.05] * 3],
    )
    config = CalibratedConfig(group_sizes=(3,), keep=3)
    found = group_evidence(usable, config)
    assert found.members.tolist()[0] == [0, 1, 2]
    assert found.isolation[0, 0] == pytest.approx(math.log(4))
    assert found.jaccard[0, 0] == pytest.approx(0.2)
    assert found.contrast[0, 0] == pytest.approx(math.log(0.22 / 0.07))
    assert found.compactness[0, 0] == pytest.approx(math.log(0.44 / 0.1))
    expected = math.log(4) + math.log(0.8) + 0.25 * math.log(0.22 / 0.07) + 0.75 * math.log(4.4) + 0.75 * math.log(0.6)
    assert found.evidence[0, 0] == pytest.approx(expected)
    # {3, 0, 1}: document 2 is nearer to 0 and 1 than 3 is, so nothing stands apart and compactness counts for nothing
    assert found.isolation[3, 0] == pytest.approx(math.log(0.1 / 0.25))
    outside = math.log(0.1 / 0.25) + math.log(0.9) + 0.25 * found.contrast[3, 0] + 0.75 * math.log(0.6)
    assert found.evidence[3, 0] == pytest.approx(outside)


def test_a_fellow_missing_from_the_list_counts_as_the_farthest() -> None:
    # 2 lists neither 0 nor 1
    usable = lists(
        [[1, 2], [0, 2], [3, 4], [4, 2], [3, 2]],
        [[0.1, 0.2], [0.1, 0.2], [0.3, 0.5], [0.3, 0.4], [0.3, 0.4]],
        [[0.1, 0.3], [0.1, 0.3], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
    )
    found = group_evidence(usable, CalibratedConfig(group_sizes=(3,), keep=2))
    # Member 2: fellows at 0.5 each, nearest outsider at 0.3; overlap is symmetric, so J is (0.1 + 0.3 + 0.3) / 3
    assert found.isolation[0, 0] == pytest.approx(math.log(0.3 / 0.5))
    assert found.jaccard[0, 0] == pytest.approx(0.7 / 3)


def test_too_few_neighbours_make_no_group() -> None:
    usable = lists([[1, -1], [0, -1]], [[0.1, 0.1]] * 2, [[0.0, 0.0]] * 2)
    assert np.isneginf(group_evidence(usable, CalibratedConfig(group_sizes=(3,), keep=2)).evidence).all()


def test_pieces_of_one_source_and_copies_are_passed_over() -> None:
    neighbors = Neighbors(
        np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]], dtype=np.int32),
        np.array([[0.9, 0.8, 0.7], [0.9, 0.8, 0.6], [0.8, 0.8, 0.5], [0.7, 0.6, 0.5]], dtype=np.float32),
    )
    jaccard = np.array([[0.1, 0.95, 0.1], [0.1, 0.2, 0.1], [0.95, 0.2, 0.1], [0.1, 0.1, 0.1]])
    usable = usable_neighbors(neighbors, jaccard, jaccard, ["page", "page", None, ""], CalibratedConfig(k=16))
    assert usable.index.tolist() == [[3, -1, -1], [2, 3, -1], [1, 3, -1], [0, 1, 2]]
    assert usable.same_source.tolist()[0] == [True, False, False]
    assert usable.copy.tolist()[0] == [False, True, False]
    # Radius: median of 1 - cosine of the farthest kept neighbour, 0.3, 0.4, 0.5, 0.5
    assert usable.radius == pytest.approx(0.45, abs=1e-6)
    assert usable.floor == pytest.approx(0.045, abs=1e-6)
    np.testing.assert_allclose(usable.distance[0], 0.3 + usable.floor, atol=1e-6)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(2, 16))
def test_groups_by_the_definition(seed: int, count: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    depth = min(depth, count - 1)
    index = np.array([[o for o in rng.permutation(count) if o != row][:depth] for row in range(count)], dtype=np.int32)
    distance = np.sort(rng.random((count, depth)), axis=1) + 0.04
    overlap, weight = (np.triu(rng.random((count, count)), 1) for _ in range(2))
    overlap, weight = overlap + overlap.T, weight + weight.T
    used = np.where(rng.random(count) < 0.7, depth, rng.integers(0, depth + 1, count))
    for row in range(count):
        index[row, used[row] :] = -1
        distance[row, used[row] :] = distance[row, max(used[row] - 1, 0)]
    away, own = index < 0, np.arange(count)[:, None]
    jaccard, weighted = (np.where(away, 0.0, table[own, np.maximum(index, 0)]) for table in (overlap, weight))
    none = np.zeros((count, depth), dtype=bool)
    usable = UsableNeighbors(index, distance, jaccard, weighted, none, none, 0.4, 0.04)
    sizes = (3, 4, 8, 12, 17)
    found = group_evidence(usable, CalibratedConfig(group_sizes=sizes))
    held = [{int(o): place for place, o in enumerate(index[row]) if o >= 0} for row in range(count)]

    def gap(i: int, j: int) -> float:
        return distance[i, held[i][j]] if j in held[i] else distance[i, -1]

    def known(table: np.ndarray, i: int, j: int) -> float:
        return table[i, j] if j in held[i] or i in held[j] else 0.0

    for column, size in enumerate(found.sizes):
        for row in range(count):
            group = [row, *(int(o) for o in index[row, : size - 1])]
            if -1 in group:
                assert np.isneginf(found.evidence[row, column])
                continue
            isolation, contrast, inner = [], [], []
            for i in group:
                fellows = [j for j in group if j != i]
                outside = [int(o) for o in index[i] if o >= 0 and o not in group]
                mean = math.fsum(gap(i, j) for j in fellows) / len(fellows)
                inner.append(mean)
                isolation.append(math.log((gap(i, outside[0]) if outside else distance[i, -1]) / mean))
                within = math.fsum(known(weight, i, j) for j in fellows) / len(fellows)
                two = [weight[i, j] for j in outside[:2]]
                contrast.append(math.log((within + 0.02) / ((math.fsum(two) / len(two) if two else 0.0) + 0.02)))
            pairs = [known(overlap, i, j) for i in group for j in group if i != j]
            assert found.isolation[row, column] == pytest.approx(min(isolation), abs=1e-9)
            assert found.jaccard[row, column] == pytest.approx(math.fsum(pairs) / len(pairs), abs=1e-9)
            assert found.contrast[row, column] == pytest.approx(math.fsum(contrast) / size, abs=1e-9)
            assert found.compactness[row, column] == pytest.approx(math.log(0.44 / (math.fsum(inner) / size)), abs=1e-9)


@given(st.integers(1, 400))
def test_sums_are_those_of_numpy_to_the_bit(terms: int) -> None:
    values = np.random.default_rng(terms).random((terms, 3))
    np.testing.assert_array_equal(_added(values), np.ascontiguousarray(values.T).sum(axis=1))
