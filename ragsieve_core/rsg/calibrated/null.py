"""How many documents would reach an evidence if none had been planted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.calibrated.config import CalibratedConfig


@dataclass(frozen=True, slots=True)
class CleanTail:
    """The null of one corpus: its own bulk, then an exponential tail.

    Up to ``start`` the expected share is the observed one: the bulk is clean. From there on clean evidence thins out
    exponentially. The level comes from the corpus itself, the documents between ``start`` and the cut; those above the
    cut, where planted documents are, never inform it. The scale is the maximum likelihood of an exponential truncated
    to that interval. Level and scale are both pulled towards the reference corpus, which counts for ``tail_weight``
    documents: a few families of pages cannot bend them, thousands can.

    Attributes
    ----------
    ordered : float64 (N,), evidence of the documents, increasing.
    start : evidence where the exponential begins.
    scale : its scale.
    level : expected share of documents from ``start`` on.
    """

    ordered: NDArray[np.float64]
    start: float
    scale: float
    level: float

    @classmethod
    def of(cls, evidence: NDArray[np.float64], config: CalibratedConfig) -> CleanTail:
        """The null of a corpus with that evidence, float64 (N,), -inf for documents in no group."""
        below = evidence[(evidence >= config.tail_start) & (evidence < config.evidence_cut)]
        scale = tail_scale(below, config)
        # The interval holds all but exp(-width / scale) of the tail
        inside = -float(np.expm1(-(config.evidence_cut - config.tail_start) / scale))
        number = below.size + config.tail_weight * config.tail_level
        level = number / (evidence.size + config.tail_weight) / inside
        return cls(np.sort(evidence), config.tail_start, scale, level)

    def share(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """Expected share of clean documents with at least that evidence, in (0, 1]."""
        count = self.ordered.size
        observed = np.maximum(count - np.searchsorted(self.ordered, evidence, side="left"), 1) / (count + 1)
        beyond = np.maximum(evidence - self.start, 0.0)
        return np.asarray(
            np.where(evidence < self.start, observed, self.level * np.exp(-beyond / self.scale)), dtype=np.float64
        )


def tail_scale(below: NDArray[np.float64], config: CalibratedConfig) -> float:
    """Scale of the exponential tail from the evidence ``below`` the cut, pulled towards the reference scale."""
    width = config.evidence_cut - config.tail_start
    total = below.size + config.tail_weight
    if total == 0:
        return config.tail_scale
    mean = float((below - config.tail_start).sum()) + config.tail_weight * truncated_mean(config.tail_scale, width)
    mean = min(max(mean / total, 0.02 * width), 0.48 * width)
    low, high = 1e-3 * width, 1e3 * width
    for _ in range(100):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if truncated_mean(middle, width) < mean else (low, middle)
    return float((low * high) ** 0.5)


def truncated_mean(scale: float, width: float) -> float:
    """Mean of an exponential of that scale truncated to [0, width): scale - width / (exp(width / scale) - 1)."""
    return scale - width / float(np.expm1(min(width / scale, 700.0)))
