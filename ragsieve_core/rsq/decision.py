"""From four terms to one score: the sum of the published rule, and what a policy may change about it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsq.config import RSQConfig

TERMS = ("anchor", "script", "surprisal", "alignment")
_SCRIPT = TERMS.index("script")
Floats = NDArray[np.float64]


def combined_score(anchor: Floats, script: Floats, surprisal: Floats, alignment: Floats, config: RSQConfig) -> Floats:
    """Sum of weight x term over the terms that pass their gate, in the order anchor, script, surprisal, alignment.

    A term below its gate counts 0. The script term counts only where the others, weighted and gated, come to at least
    ``script_support``: by itself a clean candidate reaches it once in sixteen. With the defaults (weights 1, gates 0,
    support 0) this is the published sum, bit for bit. Source of the sum: METHOD, "RSQ".

    Parameters
    ----------
    anchor, script, surprisal, alignment : float64 (n,), each >= 0; higher = more suspicious.
    config : ``weights``, ``gates`` and ``script_support``.

    Returns
    -------
    float64 (n,).
    """
    parts = []
    for term, weight, gate in zip((anchor, script, surprisal, alignment), config.weights, config.gates, strict=True):
        value = term if weight == 1.0 else term * weight
        parts.append(np.where(term >= gate, value, 0.0) if gate > 0 else value)
    if config.script_support > 0:
        others = parts[0] + parts[2] + parts[3]
        parts[_SCRIPT] = np.where(others >= config.script_support, parts[_SCRIPT], 0.0)
    return np.asarray(parts[0] + parts[1] + parts[2] + parts[3], dtype=np.float64)
