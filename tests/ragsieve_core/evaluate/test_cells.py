"""Cells, curves and missed documents against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.cells import Sample, Slice, ablation, detection, measure, missed
from ragsieve_core.evaluate.curves import budget_curve, histogram, roc
from ragsieve_core.evaluate.tpr_at_fpr import tpr_at_fpr

WHERE = Slice("d", "r", "a", "rsq/paper", "retrieved")


def sample(seed: int = 0, count: int = 300) -> Sample:
    rng = np.random.default_rng(seed)
    poison = rng.random(count) < 0.3
    score = np.round(rng.normal(size=count) + 1.5 * poison, 1)
    return Sample(
        score,
        poison,
        np.arange(count) // 5,
        score >= 1,
        tuple(f"d{row}" for row in range(count)),
        {"noise": rng.normal(size=count)},
    )


def test_a_cell_equals_scikit_learn_and_the_budget_rule() -> None:
    held = sample()
    cell = measure(WHERE, held, resamples=50)
    assert cell.auroc is not None
    assert cell.auroc.value == pytest.approx(roc_auc_score(held.poison, held.score))
    assert cell.auroc.low < cell.auroc.value < cell.auroc.high
    for budget, rate in cell.detection.items():
        expected = tpr_at_fpr(held.score[held.poison].tolist(), held.score[~held.poison].tolist(), budget)
        assert rate.value == pytest.approx(expected)
        assert rate.n == held.poison.sum()
    assert cell.caught.value == pytest.approx(held.flagged[held.poison].mean())
    assert cell.prevalence == held.poison.mean()
    assert not cell.few


def test_few_positives_are_said_and_one_kind_has_no_auroc() -> None:
    few = Sample(np.arange(5.0), np.arange(5) == 4, np.arange(5), np.zeros(5, bool), ("a",) * 5, {})
    assert measure(WHERE, few, resamples=10).few
    alone = Sample(np.arange(5.0), np.zeros(5, bool), np.arange(5), np.zeros(5, bool), ("a",) * 5, {})
    cell = measure(WHERE, alone, resamples=10)
    assert cell.auroc is None
    assert cell.detection == {}
    assert cell.removed.n == 5


def test_missed_by_hand() -> None:
    held = Sample(
        np.array([-np.inf, 0.2, 3.0, 0.9, 0.5, 0.1]),
        np.array([True, True, True, False, False, False]),
        np.arange(6),
        np.array([False, False, True, False, False, False]),
        tuple("abcdef"),
        {},
    )
    assert missed(held).tolist() == [0, 1]
    # A budget of 34 % of three clean ones removes one: the cut is 0.5
    assert missed(held, 0.34).tolist() == [0, 1]
    assert detection(held, 0.34).hits == 1


def test_roc_equals_scikit_learn() -> None:
    held = sample(2)
    found = roc(held.score, held.poison)
    false_positive, true_positive, _ = roc_curve(held.poison, held.score, drop_intermediate=False)
    np.testing.assert_allclose(found.false_positive, false_positive)
    np.testing.assert_allclose(found.true_positive, true_positive)
    area = np.trapezoid(found.true_positive, found.false_positive)
    assert area == pytest.approx(roc_auc_score(held.poison, held.score))


def test_budget_curve_equals_the_rule_point_by_point() -> None:
    held = sample(3)
    budgets = [0.0, 0.001, 0.01, 0.05, 0.3, 0.99]
    expected = [tpr_at_fpr(held.score[held.poison].tolist(), held.score[~held.poison].tolist(), one) for one in budgets]
    np.testing.assert_allclose(budget_curve(held.score, held.poison, budgets), expected)


def test_histogram_counts_every_row_once() -> None:
    held = sample(4)
    score = held.score.copy()
    score[0] = -np.inf
    edges, bad, good = histogram(score, held.poison, 12)
    assert edges.size == 13
    assert bad.sum() == held.poison.sum()
    assert good.sum() == (~held.poison).sum()


def test_ablation_names_every_term() -> None:
    rows = ablation(sample(), resamples=30)
    assert [name for name, _, _ in rows] == ["full score", "noise"]
    assert rows[0][1].value > rows[1][1].value


def test_columns_must_fit() -> None:
    with pytest.raises(InputError):
        Sample(np.zeros(3), np.zeros(2, bool), np.zeros(3, np.int64), np.zeros(3, bool), ("a",) * 3, {})
