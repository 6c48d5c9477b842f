from __future__ import annotations

import math

import numpy as np
import pytest

from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.calibrated.groups import group_evidence
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
