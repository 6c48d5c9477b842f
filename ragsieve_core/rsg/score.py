"""RSG of a corpus: tail probability of each density, topology score, integrity, flag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import Progress
from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.density import Density, local_density
from ragsieve_core.rsg.integrity import integrity
from ragsieve_core.rsg.knn import Neighbors, nearest_neighbors
from ragsieve_core.rsg.lexical import neighbor_jaccard


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
    config: RSGConfig


def tail_probability(density: NDArray[np.float32]) -> NDArray[np.float64]:
    """#{j: D_j >= D_i} / (N + 1), float64 (N,); itself counted. Small = denser than nearly all others."""
    ordered = np.sort(density)
    at_least = density.shape[0] - np.searchsorted(ordered, density, side="left")
    return np.asarray(at_least / (density.shape[0] + 1), dtype=np.float64)


def topology_score(tail: NDArray[np.float64], mixed: NDArray[np.float64], config: RSGConfig) -> NDArray[np.float64]:
    """min(1, eta_G r / tail) with r = max(0, alpha_G - share of documents with integrity 1); 0 where r = 0.

    The alert budget is a share of the corpus, and integrity flags use it up first: with alpha_G of them topology is
    silent.
    """
    remaining = max(0.0, config.budget - float(mixed.mean()))
    if remaining == 0.0:
        return np.zeros_like(tail)
    return np.minimum(1.0, config.threshold * remaining / tail)


def score_corpus(
    ids: Sequence[str],
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    config: RSGConfig,
    *,
    progress: Progress | None = None,
) -> CorpusEvidence:
    """RSG of a whole corpus.

    Parameters
    ----------
    ids : N distinct document ids; ties between equal cosines go by them.
    texts : N document texts (with titles).
    vectors : float32 (N, d), unit rows: passage embeddings of the victim retriever.
    config : parameters.
    progress : called with (documents searched, N).

    Raises
    ------
    InputError : fewer than two documents, or numbers of ids, texts and rows that differ.
    """
    if not len(ids) == len(texts) == vectors.shape[0]:
        raise InputError(
            f"{len(ids)} ids, {len(texts)} texts and {vectors.shape[0]} embeddings",
            expected="one embedding per document, in the same order",
        )
    neighbors = nearest_neighbors(vectors, ids, config.k, progress=progress)
    overlap = neighbor_jaccard(texts, neighbors.index)
    density = local_density(neighbors.cosine, overlap, config)
    mixed = integrity(texts, config)
    tail = tail_probability(density.density)
    topology = topology_score(tail, mixed, config)
    score = np.maximum(topology, mixed)
    return CorpusEvidence(
        tuple(ids), neighbors, overlap, density, tail, mixed, topology, score, score >= config.threshold, config
    )
