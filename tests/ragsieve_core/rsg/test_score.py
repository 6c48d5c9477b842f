"""Tail probability and topology score: hand-worked, and the budget that integrity uses up."""

import numpy as np
import pytest
from scipy.stats import rankdata

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.score import score_corpus, tail_probability, topology_score


def test_tail_probability_by_hand_and_by_scipy() -> None:
    density = np.array([0.0, 0.5, 0.5, 0.9], dtype=np.float32)
    assert tail_probability(density).tolist() == pytest.approx([4 / 5, 3 / 5, 3 / 5, 1 / 5])
    many = np.random.default_rng(0).integers(0, 20, 300).astype(np.float32)
    np.testing.assert_allclose(tail_probability(many), rankdata(-many, method="max") / 301)


def test_topology_score_by_hand() -> None:
    # f = 1/100, r = 0.04, eta r = 0.02: tail 0.01 -> capped at 1, tail 0.04 -> 0.5
    mixed = np.zeros(100)
    mixed[3] = 1
    tail = np.full(100, 0.5)
    tail[:2] = 0.01, 0.04
    found = topology_score(tail, mixed, RSGConfig())
    assert found[:3].tolist() == pytest.approx([1.0, 0.5, 0.04])


def test_integrity_above_budget_silences_topology() -> None:
    mixed = np.zeros(100)
    mixed[:5] = 1
    assert topology_score(np.full(100, 0.001), mixed, RSGConfig()).max() == 0.0


def test_shapes_that_differ_are_named() -> None:
    with pytest.raises(InputError, match="2 ids, 2 texts and 3 embeddings"):
        score_corpus(["a", "b"], ["x", "y"], np.eye(3, dtype=np.float32), RSGConfig())
