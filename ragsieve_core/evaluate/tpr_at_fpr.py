"""Detection at a clean-removal budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragsieve_core.errors import InputError


def tpr_at_fpr(positive: Sequence[float], negative: Sequence[float], target: float) -> float:
    """Share of positives strictly above the (m + 1)-th largest negative, m = int(len(negative) * target).

    So at most m negatives are removed with them. Source: METHOD, "Metrics".

    Parameters
    ----------
    positive, negative : scores, higher = more suspicious.
    target : budget as a share of the negatives, in [0, 1).

    Raises
    ------
    InputError : no positives or negatives, or a target outside [0, 1).
    """
    if len(positive) == 0 or len(negative) == 0:
        raise InputError(
            f"{len(positive)} positives and {len(negative)} negatives", expected="at least one of each for TPR at FPR"
        )
    if not 0 <= target < 1:
        raise InputError(f"target FPR {target!r} is out of range", expected="at least 0, below 1")
    allowed = int(len(negative) * target)
    ordered = np.sort(np.asarray(negative, dtype=np.float64))[::-1]
    return float((np.asarray(positive, dtype=np.float64) > ordered[allowed]).mean())
