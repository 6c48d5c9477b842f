"""Holm's step-down correction for several comparisons at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def holm(p_values: Sequence[float]) -> NDArray[np.float64]:
    """Adjusted p-values, float64 in the order given: running maximum of (m - i) p_(i), at most 1.

    Source: Holm 1979, Scand. J. Statist. 6.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1.0, np.maximum.accumulate((p.size - np.arange(p.size)) * p[order]))
    out = np.empty(p.size)
    out[order] = stepped
    return out


def holm_levels(p_values: Sequence[float], level: float = 0.95) -> NDArray[np.float64]:
    """Level at which each comparison's interval is read so that it excludes 0 when Holm's test rejects.

    The i-th smallest p-value (from 0) is compared at (1 - level) / (m - i): its interval is read at 1 minus that.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    out = np.empty(p.size)
    out[order] = 1 - (1 - level) / (p.size - np.arange(p.size))
    return out
