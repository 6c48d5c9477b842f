"""A scan that takes over what an earlier one worked out, and keeps what the next one can use."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import Progress
from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.calibrated.pair_words import PairWords, pair_words
from ragsieve_core.rsg.calibrated.reading import TextReading, read_texts
from ragsieve_core.rsg.calibrated.score import CalibratedEvidence, score_calibrated
from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.evidence import CorpusEvidence
from ragsieve_core.rsg.features import TextFeatures, text_features
from ragsieve_core.rsg.incremental import UpdateReport, update_neighbors
from ragsieve_core.rsg.knn import search_neighbors
from ragsieve_core.rsg.neighbor_state import SPARE, NeighborState, neighbor_state
from ragsieve_core.rsg.score import score_paper

_KINDS: dict[str, type[TextFeatures] | type[TextReading]] = {"features": TextFeatures, "reading": TextReading}


@dataclass(frozen=True, slots=True)
class ScanState:
    """What a scan leaves for the next: neighbour lists, and what was read from the texts, which depends on the rule.

    Attributes
    ----------
    neighbors : lists.
    features : what was read from the texts.
    pairs : words shared by neighbours, of the `calibrated` rule; None costs finding them anew.
    """

    neighbors: NeighborState
    features: TextFeatures | TextReading
    pairs: PairWords | None = None

    def save(self, folder: Path) -> None:
        """Write all below ``folder``. Killed between two of them, each is whole, and any go together."""
        self.neighbors.save(folder / "neighbors")
        for name, kind in _KINDS.items():
            if isinstance(self.features, kind):
                self.features.save(folder / name)
            else:
                shutil.rmtree(folder / name, ignore_errors=True)
        if self.pairs is None:
            shutil.rmtree(folder / "pairs", ignore_errors=True)
        else:
            self.pairs.save(folder / "pairs")

    @classmethod
    def load(cls, folder: Path) -> ScanState:
        """Read a saved state; :class:`InputError` if it is not whole."""
        name = "reading" if (folder / "reading").exists() else "features"
        pairs = PairWords.load(folder / "pairs") if (folder / "pairs").exists() else None
        return cls(NeighborState.load(folder / "neighbors"), _KINDS[name].load(folder / name), pairs)


@overload
def rescan(
    ids: Sequence[str],
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    config: CalibratedConfig,
    *,
    sources: Sequence[str | None] | None = None,
    previous: ScanState | None = None,
    keys: Sequence[str] | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
) -> tuple[CalibratedEvidence, ScanState, UpdateReport]: ...


@overload
def rescan(
    ids: Sequence[str],
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    config: RSGConfig | CalibratedConfig,
    *,
    sources: Sequence[str | None] | None = None,
    previous: ScanState | None = None,
    keys: Sequence[str] | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
) -> tuple[CorpusEvidence, ScanState, UpdateReport]: ...


def rescan(
    ids: Sequence[str],
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    config: RSGConfig | CalibratedConfig,
    *,
    sources: Sequence[str | None] | None = None,
    previous: ScanState | None = None,
    keys: Sequence[str] | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
) -> tuple[CorpusEvidence, ScanState, UpdateReport]:
    """Scan from the state of an earlier scan, or from nothing.

    Parameters
    ----------
    ids, texts, vectors, config, sources, progress, scratch : see :func:`ragsieve_core.rsg.score.score_corpus`.
    previous : state of an earlier scan of any set of documents, in any order. One that is less deep than the config
        asks for, or of another dimension, is of no use: start from None. Of a state of the other rule only the
        neighbour lists are taken over.
    keys : content hash of each text, for texts that are equal to the last code point; by default the texts themselves
        are kept and compared by `paper`, a hash of each by `calibrated`.

    Returns
    -------
    the evidence, which is that of a full scan bit for bit, the new state, and what was done. `calibrated` keeps words,
    scripts and the words that neighbours share; what these weigh is added up anew, for it depends on every document.

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
    held = None if previous is None else previous.features
    if isinstance(config, CalibratedConfig):
        then = held if isinstance(held, TextReading) else None
        reading, _ = read_texts(texts, keys=keys, previous=then, stray_families=config.stray_families)
        pairs = pair_words(reading, neighbors.index, None if previous is None else previous.pairs)
        evidence = score_calibrated(
            ids, texts, neighbors, config, sources=sources, reading=reading, overlap=pairs.overlap(reading.sets)
        )
        return evidence, ScanState(state, reading, pairs), report
    features = text_features(
        texts, neighbors.index, keys=keys, previous=held if isinstance(held, TextFeatures) else None
    )
    return score_paper(ids, neighbors, features, config), ScanState(state, features), report
