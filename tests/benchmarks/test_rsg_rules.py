from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import networkx as nx
import numpy as np

from benchmarks._rsg_corpora import second_half
from benchmarks.rsg_rules import BUDGETS, RULES, Outcome, clusters, resampled
from ragsieve_core.rsg.knn import Neighbors


def neighbors(rows: list[list[int]]) -> Neighbors:
    index = np.array(rows, dtype=np.int32)
    return Neighbors(index, np.zeros(index.shape, dtype=np.float32))


def test_clusters_by_hand() -> None:
    # 0 and 1 list each other, 2 lists 0 without an answer; 3 and 4 are planted for one question, 5 for another
    found = clusters(
        neighbors([[1, 3], [0, 4], [0, 1], [4, 5], [3, 5], [3, 4]]), np.array(["", "", "", "q1", "q1", "q2"])
    )
    assert found[0] == found[1]
    assert len({found[0], found[2], found[3], found[5]}) == 4
    assert found[3] == found[4]


def test_clean_clusters_are_the_components_of_mutual_neighbours() -> None:
    generator = np.random.default_rng(0)
    rows = [generator.choice([other for other in range(60) if other != row], 3, replace=False) for row in range(60)]
    graph = nx.Graph()
    graph.add_nodes_from(range(60))
    graph.add_edges_from((a, int(b)) for a in range(60) for b in rows[a][:2] if a in rows[int(b)][:2])
    found = clusters(neighbors([row.tolist() for row in rows]), np.array([""] * 60))
    expected = {frozenset(part) for part in nx.connected_components(graph)}
    assert {frozenset(np.flatnonzero(found == number).tolist()) for number in set(found.tolist())} == expected


def outcome(clean_cluster: np.ndarray) -> Outcome:
    """Two planted targets above everything, forty clean documents in those clusters, equal values under every rule."""
    target = np.array([""] * 40 + ["a"] * 5 + ["b"] * 5)
    # Four clean documents outrank one target
    values = np.concatenate([np.linspace(0, 1, 36), np.full(4, 2.5), np.full(5, 2.0), np.full(5, 3.0)])
    cluster = np.concatenate([clean_cluster, [100] * 5, [101] * 5])
    made = SimpleNamespace(target=target, planted=target != "", cluster=cluster, value=dict.fromkeys(RULES, values))
    return cast(Outcome, cast(Any, made))


def test_a_rule_never_beats_itself_and_families_widen_the_interval() -> None:
    alone, family = (
        resampled(outcome(clusters)) for clusters in (np.arange(40), np.concatenate([np.arange(36), [36] * 4]))
    )
    assert all((alone["calibrated"] == alone[rule]).all() for rule in RULES)
    assert alone["calibrated"].shape[1] == 1 + len(BUDGETS)
    # The four that outrank a target come and go together: the AUROC varies more
    assert family["calibrated"][:, 0].std() > 1.2 * alone["calibrated"][:, 0].std()


def test_halves_are_about_equal_and_fixed() -> None:
    names = [f"test{number}" for number in range(400)]
    assert 150 < sum(map(second_half, names)) < 250
    # SHA-256 of "abc" ends in ...15ad, an odd byte
    assert second_half("abc")
