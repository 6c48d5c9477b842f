"""RSG of a corpus: tail probability of each density, topology score, integrity, flag."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import Progress
from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.calibrated.reading import TextReading
from ragsieve_core.rsg.calibrated.score import CalibratedEvidence, score_calibrated
from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.density import local_density
from ragsieve_core.rsg.evidence import CorpusEvidence
from ragsieve_core.rsg.features import TextFeatures, text_features
from ragsieve_core.rsg.incremental import update_neighbors
from ragsieve_core.rsg.integrity import flags
from ragsieve_core.rsg.knn import Neighbors, search_neighbors
from ragsieve_core.rsg.neighbor_state import NeighborState


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


def cut_score(density: NDArray[np.float32], config: RSGConfig) -> NDArray[np.float64]:
    """min(1, eta_G D / cut), float64 (N,): reaches the threshold exactly where the density reaches ``density_cut``.

    An absolute cut shares nothing out: it flags as many documents as are dense, none in a clean corpus and all of a
    large attack. A policy may choose it; `paper` does not.
    """
    # Compared as they are: rounding a quotient could put a density on the wrong side of the cut
    reached = density.astype(np.float64) >= config.density_cut
    score = np.minimum(1.0, config.threshold * density.astype(np.float64) / config.density_cut)
    below = np.nextafter(config.threshold, 0.0)
    return np.where(reached, np.maximum(score, config.threshold), np.minimum(score, below))


@overload
def score_corpus(
    ids: Sequence[str],
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    config: CalibratedConfig,
    *,
    sources: Sequence[str | None] | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
    previous: NeighborState | None = None,
    features: TextFeatures | None = None,
    keys: Sequence[str] | None = None,
    reading: TextReading | None = None,
) -> CalibratedEvidence: ...


@overload
def score_corpus(
    ids: Sequence[str],
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    config: RSGConfig | CalibratedConfig,
    *,
    sources: Sequence[str | None] | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
    previous: NeighborState | None = None,
    features: TextFeatures | None = None,
    keys: Sequence[str] | None = None,
    reading: TextReading | None = None,
) -> CorpusEvidence: ...


def score_corpus(
    ids: Sequence[str],
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    config: RSGConfig | CalibratedConfig,
    *,
    sources: Sequence[str | None] | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
    previous: NeighborState | None = None,
    features: TextFeatures | None = None,
    keys: Sequence[str] | None = None,
    reading: TextReading | None = None,
) -> CorpusEvidence:
    """RSG of a whole corpus.

    Parameters
    ----------
    ids : N distinct document ids; ties between equal cosines go by them.
    texts : N document texts (with titles).
    vectors : float32 (N, d), unit rows: passage embeddings of the victim retriever.
    config : parameters; their class chooses the rule.
    sources : source of each document, None where unknown; the `paper` rule knows none.
    progress : called with (documents searched, N).
    scratch : folder where finished blocks of the search are kept until it ends; an interrupted scan goes on from them.
    previous : neighbour lists of an earlier scan, of any order and set of documents; only what changed is searched.
        To keep the lists for the next time, call :func:`ragsieve_core.rsg.incremental.update_neighbors` first and give
        its state.
    features : words, scripts and overlaps of an earlier scan by the `paper` rule, of any order and set of documents;
        only new texts and new pairs are looked at. To keep them, call
        :func:`ragsieve_core.rsg.features.text_features` first and give its result, or use
        :func:`ragsieve_core.rsg.rescan.rescan`, which keeps both.
    reading : of exactly these texts, for the `calibrated` rule:
        :func:`ragsieve_core.rsg.calibrated.reading.read_texts`, which reads only what an earlier scan did not.
    keys : content hash of each text, as ``features`` were made with; by default they are told apart by the texts.

    Raises
    ------
    InputError : fewer than two documents, numbers of ids, texts and rows that differ, or lists less deep than k.
    """
    if not len(ids) == len(texts) == vectors.shape[0]:
        raise InputError(
            f"{len(ids)} ids, {len(texts)} texts and {vectors.shape[0]} embeddings",
            expected="one embedding per document, in the same order",
        )
    if previous is None:
        neighbors, _ = search_neighbors(vectors, ids, config.k, scratch=scratch, progress=progress)
    else:
        neighbors = update_neighbors(previous, vectors, ids, config.k)[0].neighbors(config.k)
    if isinstance(config, CalibratedConfig):
        return score_calibrated(ids, texts, neighbors, config, sources=sources, reading=reading)
    read = text_features(texts, neighbors.index, keys=keys, previous=features)
    return score_paper(ids, neighbors, read, config)


def score_paper(ids: Sequence[str], neighbors: Neighbors, read: TextFeatures, config: RSGConfig) -> CorpusEvidence:
    """The `paper` rule after any exact search and the reading of the texts."""
    overlap = read.jaccard
    density = local_density(neighbors.cosine, overlap, config)
    mixed = flags(read.scripts, read.transitions, config)
    tail = tail_probability(density.density)
    topology = cut_score(density.density, config) if config.density_cut else topology_score(tail, mixed, config)
    score = np.maximum(topology, mixed)
    return CorpusEvidence(
        tuple(ids), neighbors, overlap, density, tail, mixed, topology, score, score >= config.threshold, config
    )
