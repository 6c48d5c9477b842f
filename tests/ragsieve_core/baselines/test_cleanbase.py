from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.baselines.cleanbase import cleanbase, edge_weights, maximal_cliques
from ragsieve_core.rsg.knn import Neighbors, nearest_neighbors


def planted(seed: int, sizes: tuple[int, ...], count: int = 300) -> Neighbors:
    generator = np.random.default_rng(seed)
    base = generator.normal(size=(count, 48))
    start = 0
    for size in sizes:
        base[start : start + size] = generator.normal(size=48) + 0.2 * generator.normal(size=(size, 48))
        start += size
    vectors = (base / np.linalg.norm(base, axis=1, keepdims=True)).astype(np.float32)
    return nearest_neighbors(vectors, [f"d{row:03d}" for row in range(count)], 10)


def reference(neighbors: Neighbors, k: int = 10) -> tuple[np.ndarray, float]:
    """The rule from its description, with networkx."""
    graph = nx.Graph()
    for row in range(neighbors.index.shape[0]):
        for other, cosine in zip(neighbors.index[row, :k], neighbors.cosine[row, :k], strict=True):
            graph.add_edge(row, int(other), weight=float(cosine))
    weights = np.array([data["weight"] for _, _, data in graph.edges(data=True)])
    threshold = weights.mean() + 2.5 * weights.std()
    graph.remove_edges_from([(a, b) for a, b, data in list(graph.edges(data=True)) if data["weight"] <= threshold])
    flagged = np.zeros(neighbors.index.shape[0], dtype=bool)
    for clique in nx.find_cliques(graph):
        if 3 <= len(clique) <= k + 1:
            pairs = [graph[a][b]["weight"] for place, a in enumerate(clique) for b in clique[place + 1 :]]
            if np.mean(pairs) < 1.0:
                flagged[clique] = True
    return flagged, float(threshold)


@pytest.mark.parametrize("seed", range(5))
def test_equals_networkx(seed: int) -> None:
    neighbors = planted(seed, (3, 5, 8))
    found = cleanbase(neighbors)
    flagged, threshold = reference(neighbors)
    assert found.threshold == pytest.approx(threshold, rel=1e-12)
    assert (found.flagged == flagged).all()
    assert found.flagged[:16].all()


def test_two_documents_are_never_flagged_and_twenty_five_are() -> None:
    found = cleanbase(planted(7, (2, 25)))
    assert not found.flagged[:2].any()
    assert found.flagged[2:27].all()


@pytest.mark.parametrize("seed", range(3))
def test_triangle_score_reproduces_the_cliques(seed: int) -> None:
    # In a clique of three or more exactly where the triangle score exceeds the threshold; no clique is too large here
    found = cleanbase(planted(seed, (3, 5)))
    assert (found.flagged == (found.triangle > found.threshold)).all()


def test_exact_duplicates_are_left_out() -> None:
    neighbors = planted(1, ())
    cosine = neighbors.cosine.copy()
    index = neighbors.index.copy()
    for row in range(4):
        index[row, :3] = [other for other in range(4) if other != row]
        cosine[row, :3] = 1.0
    assert not cleanbase(Neighbors(index, cosine)).flagged[:4].any()


def test_triangle_by_hand() -> None:
    index = np.array([[1, 2], [0, 2], [1, 0], [0, 1]], dtype=np.int32)
    cosine = np.array([[0.9, 0.8], [0.9, 0.7], [0.7, 0.8], [0.3, 0.2]], dtype=np.float32)
    found = cleanbase(Neighbors(index, cosine), k=2)
    assert edge_weights(Neighbors(index, cosine), 2)[0, 1] == pytest.approx(0.9)
    np.testing.assert_allclose(found.triangle, [0.7, 0.7, 0.7, 0.2], atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 14), st.floats(0, 1), st.integers(0, 10_000))
def test_cliques_equal_networkx(count: int, density: float, seed: int) -> None:
    graph = nx.gnp_random_graph(count, density, seed=seed)
    near = [set(graph[row]) for row in range(count)]
    mine = sorted(maximal_cliques(near))
    assert mine == sorted(tuple(sorted(one)) for one in nx.find_cliques(graph) if len(one) > 1)
