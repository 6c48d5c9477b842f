"""A scan that takes over what an earlier one worked out, and keeps what the next one can use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import Progress
from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.evidence import CorpusEvidence
from ragsieve_core.rsg.features import TextFeatures, text_features
from ragsieve_core.rsg.incremental import UpdateReport, update_neighbors
from ragsieve_core.rsg.knn import search_neighbors
from ragsieve_core.rsg.neighbor_state import SPARE, NeighborState, neighbor_state
from ragsieve_core.rsg.score import score_paper


@dataclass(frozen=True, slots=True)
class ScanState:
    """What a scan leaves for the next: neighbour lists, and what was read from the texts."""

    neighbors: NeighborState
    features: TextFeatures

    def save(self, folder: Path) -> None:
        """Write both below ``folder``. Killed between the two, each is whole, and any two go together."""
        self.neighbors.save(folder / "neighbors")
        self.features.save(folder / "features")

    @classmethod
    def load(cls, folder: Path) -> ScanState:
        """Read a saved state; :class:`InputError` if it is not whole."""
        return cls(NeighborState.load(folder / "neighbors"), TextFeatures.load(folder / "features"))


def rescan(
    ids: Sequence[str],
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    config: RSGConfig,
    *,
    previous: ScanState | None = None,
    keys: Sequence[str] | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
) -> tuple[CorpusEvidence, ScanState, UpdateReport]:
    """Scan by the `paper` rule from the state of an earlier scan, or from nothing.

    Parameters
    ----------
    ids, texts, vectors, config, progress, scratch : see :func:`ragsieve_core.rsg.score.score_corpus`.
    previous : state of an earlier scan of any set of documents, in any order. One that is less deep than the config
        asks for, or of another dimension, is of no use: start from None.
    keys : content hash of each text; by default the texts themselves are kept and compared.

    Returns
    -------
    the evidence, which is that of a full scan bit for bit, the new state, and what was done.

    Raises
    ------
    InputError : as :func:`score_corpus`, or a previous state that does not fit.
    """
    if not len(ids) == len(texts) == vectors.shape[0]:
        raise InputError(
            f"{len(ids)} ids, {len(texts)} texts and {vectors.shape[0]} embeddings",
            expected="one embedding per document, in the same order",
        )
    if previous is None:
        depth = config.k + SPARE
        found, _ = search_neighbors(vectors, ids, depth, scratch=scratch, progress=progress)
        state, report = neighbor_state(vectors, ids, depth, found), UpdateReport(len(ids), 0, 0, 0)
    else:
        state, report = update_neighbors(previous.neighbors, vectors, ids, config.k)
    neighbors = state.neighbors(config.k)
    features = text_features(
        texts, neighbors.index, keys=keys, previous=None if previous is None else previous.features
    )
    return score_paper(ids, neighbors, features, config), ScanState(state, features), report
