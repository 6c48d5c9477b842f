"""Area under the ROC curve, ties one half."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragsieve_core.errors import InputError


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """P(score of a positive > score of a negative) + P(equal) / 2, in [0, 1].

    Equals the Mann-Whitney U statistic over (positives x negatives). Source: METHOD, "Metrics".

    Raises
    ------
    InputError : no positives or no negatives.
    """
    if len(positive) == 0 or len(negative) == 0:
        raise InputError(
            f"{len(positive)} positives and {len(negative)} negatives", expected="at least one of each for AUROC"
        )
    ordered = np.sort(np.asarray(negative, dtype=np.float64))
    scores = np.asarray(positive, dtype=np.float64)
    below = np.searchsorted(ordered, scores, side="left")
    up_to = np.searchsorted(ordered, scores, side="right")
    return float((below + up_to).sum() / 2 / (scores.size * ordered.size))
