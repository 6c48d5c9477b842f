"""Rescoring stored neighbours equals scoring the corpus anew; what cannot be answered is refused by name."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.rsg import CalibratedConfig, RSGConfig, score_corpus
from ragsieve_core.rsg.evidence import CorpusEvidence
from ragsieve_core.whatif.refused import RefusedMoveError, Unanswerable
from ragsieve_core.whatif.rsg import RSGColumns, moved, rescore

WORDS = [f"word{number}" for number in range(60)]


def corpus(seed: int, count: int) -> tuple[list[str], list[str], np.ndarray]:
    """Clusters of close vectors whose texts share few or many words, a few of them of mixed script."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(count // 4 + 1, 24))
    vectors = centres[rng.integers(0, len(centres), count)] + rng.normal(size=(count, 24)) * rng.choice(
        [0.02, 0.15, 0.4], (count, 1)
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [" ".join(rng.choice(WORDS[: rng.integers(8, 60)], 14)) for _ in range(count)]
    for row in rng.choice(count, max(1, count // 60), replace=False):
        texts[row] += " scrіpt"
    return [f"d{row}" for row in range(count)], texts, vectors.astype(np.float32)


def columns(found: CorpusEvidence) -> RSGColumns:
    return RSGColumns(
        found.config, found.flagged, found.integrity, found.topology_score, found.neighbors.cosine.T, found.jaccard.T
    )


MOVES = [
    {},
    {"eta_G": 0.8},
    {"tau_e": 0.6},
    {"tau_e": 0.97, "tau_l": 0.3},
    {"tau_l": 0.95, "alpha_G": 0.2},
    {"k_G": 4},
    {"k_G": 9, "tau_e": 0.3, "alpha_G": 0.01},
    {"density_cut": 0.4},
    {"density_cut": 0.75, "tau_e": 0.6, "tau_l": 0.9, "eta_G": 0.7},
]


@pytest.mark.parametrize("moves", MOVES, ids=str)
@pytest.mark.parametrize(("seed", "count"), [(0, 300), (1, 40), (2, 9)])
def test_equals_a_fresh_scoring(moves: dict[str, float], seed: int, count: int) -> None:
    ids, texts, vectors = corpus(seed, count)
    stored = score_corpus(ids, texts, vectors, RSGConfig())
    config = moved(RSGConfig(), moves)
    fresh = score_corpus(ids, texts, vectors, config)
    found = rescore(columns(stored), config)
    np.testing.assert_array_equal(found.score, fresh.score)
    np.testing.assert_array_equal(found.flagged, fresh.flagged)
    np.testing.assert_array_equal(found.density, fresh.density.density)


@pytest.mark.parametrize("cut", [0.65, 1.0, 1.15, 1.6, 3.0])
@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_the_cut_of_calibrated_equals_a_fresh_scoring(cut: float, threshold: float) -> None:
    ids, texts, vectors = corpus(5, 240)
    stored = score_corpus(ids, texts, vectors, CalibratedConfig())
    config = moved(CalibratedConfig(), {"cut": cut, "eta_G": threshold})
    fresh = score_corpus(ids, texts, vectors, config)
    found = rescore(columns(stored), config)
    np.testing.assert_allclose(found.score, fresh.score, atol=1e-9)
    # The evidence is read back from a curve: only a document within rounding of the threshold may differ
    near = np.abs(fresh.score - threshold) < 1e-9
    np.testing.assert_array_equal(found.flagged[~near], fresh.flagged[~near])


def test_deeper_than_stored_is_refused_with_the_reason() -> None:
    ids, texts, vectors = corpus(0, 60)
    stored = columns(score_corpus(ids, texts, vectors, RSGConfig(k=8)))
    with pytest.raises(RefusedMoveError, match="more neighbours than the scan stored") as refused:
        rescore(stored, moved(stored.config, {"k_G": 9}))
    assert refused.value.reason is Unanswerable.DEEPER_THAN_STORED
    small = columns(score_corpus(ids[:6], texts[:6], vectors[:6], RSGConfig()))
    # Five neighbours are all there are: more changes nothing
    np.testing.assert_array_equal(rescore(small, RSGConfig(k=40)).flagged, small.flagged)


def test_what_a_calibrated_scan_does_not_store_is_refused() -> None:
    ids, texts, vectors = corpus(0, 60)
    stored = columns(score_corpus(ids, texts, vectors, CalibratedConfig()))
    with pytest.raises(RefusedMoveError) as words:
        rescore(stored, moved(stored.config, {"tau_l": 0.7}))
    assert words.value.reason is Unanswerable.NEEDS_WORDS
    low = dataclasses.replace(CalibratedConfig(), tail_start=0.1, evidence_cut=0.5)
    with pytest.raises(RefusedMoveError):
        rescore(stored, low)
    with pytest.raises(RefusedMoveError) as other:
        rescore(stored, RSGConfig())
    assert other.value.reason is Unanswerable.NOT_STORED
    with pytest.raises(RefusedMoveError, match="did you mean 'tau_e'"):
        moved(RSGConfig(), {"tau_ee": 1.0})
    with pytest.raises(InputError, match="whole number"):
        moved(RSGConfig(), {"k_G": 3.5})
