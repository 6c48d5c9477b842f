"""What a scan of a corpus gives, whatever the rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.density import Density
from ragsieve_core.rsg.knn import Neighbors


@dataclass(frozen=True, slots=True)
class CorpusEvidence:
    """RSG of N documents, row i = document i.

    Attributes
    ----------
    document_ids : N ids.
    neighbors : k nearest neighbours, all of them, retained or not.
    jaccard : float64 (N, k), word overlap with them.
    density : floor, retention, eligible neighbours, density.
    tail_probability : float64 (N,), share of documents at least as dense, in (0, N / (N + 1)].
    integrity : float64 (N,), 0 or 1.
    topology_score : float64 (N,), in [0, 1].
    score : float64 (N,), max(topology_score, integrity), in [0, 1]; higher = more suspicious.
    flagged : bool (N,), score >= threshold. A triage signal, never a verdict.
    config : parameters used.
    """

    document_ids: tuple[str, ...]
    neighbors: Neighbors
    jaccard: NDArray[np.float64]
    density: Density
    tail_probability: NDArray[np.float64]
    integrity: NDArray[np.float64]
    topology_score: NDArray[np.float64]
    score: NDArray[np.float64]
    flagged: NDArray[np.bool_]
    config: RSGConfig | CalibratedConfig
