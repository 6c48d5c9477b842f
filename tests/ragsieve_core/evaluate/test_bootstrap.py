"""Resampled AUROC against scikit-learn on rows repeated in full; intervals, differences and Holm."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ragsieve_core.evaluate.bootstrap import Comparison, auroc_estimate, draw, paired_differences, resampled_auroc
from ragsieve_core.evaluate.holm import holm, holm_levels


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(60), 4)
    positive = (cluster < 30) & (rng.random(240) < 0.6)
    # Few distinct scores, so that ties are everywhere
    return np.round(rng.normal(size=240) + positive, 1), positive, cluster


def test_every_resample_equals_scikit_learn() -> None:
    score, positive, cluster = data()
    drawn = draw(cluster, positive, resamples=25, seed=3)
    for weights, value in zip(drawn.weight, resampled_auroc(score, positive, drawn), strict=True):
        rows = np.repeat(np.arange(240), weights[drawn.cluster])
        assert value == pytest.approx(roc_auc_score(positive[rows], score[rows]))


def test_clusters_are_drawn_whole_and_by_kind() -> None:
    _, positive, cluster = data()
    drawn = draw(cluster, positive, resamples=50, seed=1)
    holds = np.array([positive[cluster == one].any() for one in range(60)])
    assert (drawn.weight[:, holds].sum(axis=1) == holds.sum()).all()
    assert (drawn.weight[:, ~holds].sum(axis=1) == (~holds).sum()).all()
    again = draw(cluster, positive, resamples=50, seed=1)
    np.testing.assert_array_equal(drawn.weight, again.weight)


def test_perfect_separation_still_has_a_width() -> None:
    score, positive = np.arange(40.0), np.arange(40) >= 20
    found = auroc_estimate(score, positive, draw(np.arange(40), positive, resamples=50))
    assert found.value == 1
    assert found.low == pytest.approx(0.839, abs=0.001)
    assert found.high == 1


def test_auroc_interval_covers() -> None:
    held = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        positive = np.arange(200) < 60
        score = rng.normal(size=200) + 1.2 * positive
        found = auroc_estimate(score, positive, draw(np.arange(200), positive, resamples=200, seed=seed))
        # Normal scores a distance d apart: Phi(d / sqrt 2)
        held += found.low <= 0.80193 <= found.high
    assert held >= 105


def test_a_paired_difference_is_narrower_than_two_intervals_apart() -> None:
    score, positive, cluster = data(4)
    better = score + 0.5 * positive
    drawn = draw(cluster, positive, resamples=400, seed=2)
    (one,) = paired_differences([Comparison(better, score, positive, drawn)])
    assert one.value == pytest.approx(roc_auc_score(positive, better) - roc_auc_score(positive, score))
    assert 0 < one.low < one.value < one.high
    assert one.p < 0.02
    (none,) = paired_differences([Comparison(score, score, positive, drawn)])
    assert (none.value, none.p) == (0, 1)
    assert none.low < 0 < none.high


def test_holm_by_hand() -> None:
    # 0.01 x 3, 0.02 x 2, 0.04 x 1, each at least the one before
    np.testing.assert_allclose(holm([0.04, 0.01, 0.02]), [0.04, 0.03, 0.04])
    np.testing.assert_allclose(holm_levels([0.04, 0.01, 0.02]), [0.95, 1 - 0.05 / 3, 0.975])
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]


def test_one_family_over_all_comparisons() -> None:
    score, positive, cluster = data(4)
    drawn = draw(cluster, positive, resamples=200, seed=2)
    pairs = [Comparison(score + 0.1 * k * positive, score, positive, drawn) for k in range(1, 4)]
    found = paired_differences(pairs)
    np.testing.assert_allclose([one.p_adjusted for one in found], holm([one.p for one in found]))
