"""Neighbours that can be evidence: not pieces of the same source, not copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.knn import Neighbors


@dataclass(frozen=True, slots=True)
class UsableNeighbors:
    """The nearest usable neighbours of N documents, in the order of the search; unused places at the end.

    Attributes
    ----------
    index : int32 (N, keep), row of the neighbour, -1 in an unused place.
    distance : float64 (N, keep), 1 - cosine + the floor, never falling along a list; that of the farthest used one
        in an unused place.
    jaccard, weighted : float64 (N, keep), word overlap, plain and weighted by rarity; 0 in an unused place.
    same_source, copy : bool (N, k), why places of the search were passed over.
    radius : R, median over documents of 1 - cosine of their farthest kept neighbour.
    floor : what was added to every distance, at least 1e-9.
    """

    index: NDArray[np.int32]
    distance: NDArray[np.float64]
    jaccard: NDArray[np.float64]
    weighted: NDArray[np.float64]
    same_source: NDArray[np.bool_]
    copy: NDArray[np.bool_]
    radius: float
    floor: float


def source_numbers(sources: Sequence[str | None] | None, count: int) -> NDArray[np.int64]:
    """One number per document, equal where the source is; a document without one is its own source."""
    if sources is None:
        return np.arange(count)
    known: dict[str, int] = {}
    return np.array(
        [row if not name else known.setdefault(name, count + row) for row, name in enumerate(sources)], dtype=np.int64
    )


def usable_neighbors(
    neighbors: Neighbors,
    jaccard: NDArray[np.float64],
    weighted: NDArray[np.float64],
    sources: Sequence[str | None] | None,
    config: CalibratedConfig,
) -> UsableNeighbors:
    """Drop neighbours of the same source and copies, keep the nearest ``config.keep`` of the rest.

    Parameters
    ----------
    neighbors : the search, N documents, k deep.
    jaccard, weighted : float64 (N, k), word overlap with the same neighbours.
    sources : source of each document, None where unknown.
    config : parameters.
    """
    count = neighbors.index.shape[0]
    number = source_numbers(sources, count)
    same = number[neighbors.index] == number[:, None]
    copy = jaccard >= config.copy_jaccard
    fit = ~(same | copy)
    keep = min(config.keep, fit.shape[1])
    # Most lists pass over nobody
    passed = np.flatnonzero(~fit[:, :keep].all(axis=1))
    order = np.argsort(~fit[passed], axis=1, kind="stable")[:, :keep]

    def kept(values: NDArray[Any]) -> NDArray[Any]:
        out = values[:, :keep].copy()
        out[passed] = np.take_along_axis(values[passed], order, 1)
        return out

    used = kept(fit)
    gap = np.maximum(0.0, 1.0 - kept(neighbors.cosine).astype(np.float64))
    last = np.maximum(used.sum(axis=1) - 1, 0)
    farthest = np.take_along_axis(gap, last[:, None], 1)
    some = used.any(axis=1)
    radius = float(np.median(farthest[some])) if some.any() else 0.0
    floor = max(config.distance_floor * radius, 1e-9)
    index, overlap, rare = kept(neighbors.index), kept(jaccard), kept(weighted)
    index[~used], overlap[~used], rare[~used] = -1, 0.0, 0.0
    distance = np.where(used, gap, farthest)
    distance += floor
    return UsableNeighbors(
        index.astype(np.int32, copy=False), distance, overlap, rare, same, copy & ~same, radius, floor
    )
