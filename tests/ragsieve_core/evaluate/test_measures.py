"""AUROC against scikit-learn; detection at a budget by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.auroc import auroc
from ragsieve_core.evaluate.tpr_at_fpr import tpr_at_fpr

scores = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=40)


@given(scores, scores)
def test_auroc_equals_scikit_learn(positive: list[float], negative: list[float]) -> None:
    labels = [1] * len(positive) + [0] * len(negative)
    assert auroc(positive, negative) == pytest.approx(roc_auc_score(labels, positive + negative))


@given(scores, scores, st.sampled_from([0.0, 0.05, 0.1, 0.5]))
def test_budget_is_never_overrun(positive: list[float], negative: list[float], target: float) -> None:
    caught = tpr_at_fpr(positive, negative, target)
    cut = sorted(negative, reverse=True)[int(len(negative) * target)]
    assert sum(v > cut for v in negative) <= int(len(negative) * target)
    assert caught == np.mean([v > cut for v in positive])


def test_by_hand() -> None:
    # 10 clean, 10 % budget: one may go, the cut is the second largest clean score, 8; strictly above: 9 only
    assert tpr_at_fpr([9, 8, 1], list(range(10)), 0.1) == pytest.approx(1 / 3)


def test_nothing_to_compare() -> None:
    with pytest.raises(InputError):
        auroc([], [1.0])
    with pytest.raises(InputError):
        tpr_at_fpr([1.0], [1.0], 1.0)
