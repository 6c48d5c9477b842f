"""How many documents would reach an evidence if none had been planted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.calibrated.config import CalibratedConfig


@dataclass(frozen=True, slots=True)
class CleanTail:
    """The null of one corpus: its own bulk, then two exponential tails.

    Up to ``start`` the expected share is the observed one: the bulk is clean. Beyond it two things add up. The
    reference tail: as many alerts per document as the clean reference snapshot has, thinning out on its scale. The
    corpus's own tail: its documents between ``tail_start`` and ``tail_end``, thinning out on the maximum-likelihood
    scale of an exponential truncated to that interval, which is pulled towards the reference's. The interval ends
    below the cut, so documents that alert, planted or not, never inform what is expected.

    Attributes
    ----------
    ordered : float64 (N,), evidence of the documents, increasing.
    start : evidence where the tails begin.
    scale : scale of the corpus's own tail.
    level : its share of documents from ``start`` on.
    reference_evidence : evidence where the reference tail is ``reference_share``.
    reference_scale, reference_share : the reference tail.
    """

    ordered: NDArray[np.float64]
    start: float
    scale: float
    level: float
    reference_evidence: float
    reference_scale: float
    reference_share: float

    @classmethod
    def of(cls, evidence: NDArray[np.float64], config: CalibratedConfig) -> CleanTail:
        """The null of a corpus with that evidence, float64 (N,), -inf for documents in no group."""
        below = evidence[(evidence >= config.tail_start) & (evidence < config.tail_end)]
        scale = tail_scale(below, config)
        # The interval holds all but exp(-width / scale) of the tail
        inside = -float(np.expm1(-(config.tail_end - config.tail_start) / scale))
        level = below.size / (evidence.size + config.tail_documents) / inside
        return cls(
            np.sort(evidence),
            config.tail_start,
            scale,
            level,
            config.reference_evidence,
            config.tail_scale,
            config.reference_share,
        )

    def share(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """Expected share of clean documents with at least that evidence, in (0, 1]."""
        count = self.ordered.size
        observed = np.maximum(count - np.searchsorted(self.ordered, evidence, side="left"), 1) / (count + 1)
        beyond = np.maximum(evidence, self.start)
        own = self.level * np.exp(-(beyond - self.start) / self.scale)
        reference = self.reference_share * np.exp(-(beyond - self.reference_evidence) / self.reference_scale)
        return np.asarray(np.where(evidence < self.start, observed, np.minimum(own + reference, 1.0)), dtype=np.float64)


def tail_scale(below: NDArray[np.float64], config: CalibratedConfig) -> float:
    """Scale of the tail from the evidence ``below`` tail_end, pulled towards the reference scale."""
    width = config.tail_end - config.tail_start
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
