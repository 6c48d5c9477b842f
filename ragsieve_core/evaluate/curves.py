"""Data behind the curves of a cell: ROC, detection against clean removal, and score histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Roc:
    """One point per distinct score, from (0, 0) to (1, 1).

    Attributes
    ----------
    false_positive, true_positive : float64 (m,), non-decreasing shares.
    threshold : float64 (m,), a row counts at score >= this; inf at the first point.
    """

    false_positive: Floats
    true_positive: Floats
    threshold: Floats


def roc(score: Floats, positive: NDArray[np.bool_]) -> Roc:
    """ROC curve; equal scores move together, so the area below it is AUROC with ties one half."""
    order = np.argsort(-score, kind="stable")
    ordered, label = score[order], positive[order]
    last = np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True]) if ordered.size else np.zeros(0, np.int64)
    caught, removed = np.cumsum(label)[last], np.cumsum(~label)[last]
    return Roc(
        np.r_[0.0, removed / max(1, int((~positive).sum()))],
        np.r_[0.0, caught / max(1, int(positive.sum()))],
        np.r_[np.inf, ordered[last]],
    )


def budget_curve(score: Floats, positive: NDArray[np.bool_], budgets: Sequence[float]) -> Floats:
    """Detection at each clean-removal budget, by the rule of :func:`ragsieve_core.evaluate.tpr_at_fpr.tpr_at_fpr`.

    Parameters
    ----------
    budgets : shares of the clean documents, in [0, 1).
    """
    clean = np.sort(score[~positive])[::-1]
    poison = np.sort(score[positive])
    if not clean.size or not poison.size:
        return np.full(len(budgets), np.nan)
    cuts = clean[(clean.size * np.asarray(budgets, dtype=np.float64)).astype(np.int64)]
    return np.asarray((poison.size - np.searchsorted(poison, cuts, side="right")) / poison.size, dtype=np.float64)


def histogram(
    score: Floats, positive: NDArray[np.bool_], bins: int = 40
) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Edges (bins + 1) over the finite scores, counts of poison and of clean documents in each; the last bin is closed.

    Scores of -inf (never retrieved) stand in the first bin.
    """
    finite = score[np.isfinite(score)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    edges = np.linspace(low, high if high > low else low + 1.0, bins + 1)
    held = np.clip(score, low, max(high, low))
    return edges, np.histogram(held[positive], edges)[0], np.histogram(held[~positive], edges)[0]
