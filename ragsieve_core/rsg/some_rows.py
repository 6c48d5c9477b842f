"""Nearest neighbours of some rows among all: rows searched again, and rows that are new."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.block_tasks import Hits, group_maxima
from ragsieve_core.rsg.candidates import CandidatePool
from ragsieve_core.rsg.deciding import decide
from ragsieve_core.rsg.screening import Screen
from ragsieve_core.workers import run_tasks

_ROWS = 1024
_COLUMNS = 4096


def search_rows(
    vectors: NDArray[np.float32],
    screen: Screen,
    wanted: NDArray[np.int64],
    searched: NDArray[np.int64],
    place: NDArray[np.int64],
    k: int,
    limit: int,
    column: NDArray[np.int64],
    cosine: NDArray[np.float32],
) -> NDArray[np.int64]:
    """k nearest of the rows ``wanted`` (numbers in ``searched``), written into ``column`` and ``cosine``.

    Returns
    -------
    int64, the rows with more than ``limit`` candidates within the screening error: not written.
    """
    crowded = []
    for start in range(0, wanted.size, _ROWS):
        part = wanted[start : start + _ROWS]
        local = Part(screen, part)
        pool = CandidatePool(local, k, limit)
        pool.raise_floor(0, first_floor(screen, part, searched.size, k))
        edges = [slice(begin, min(begin + _COLUMNS, searched.size)) for begin in range(0, searched.size, _COLUMNS)]
        work = run_tasks(partial(_row_hits, screen, part, pool), edges, torch_tasks=screen.of_torch)
        for hits in work:
            pool.add(hits)
            pool.prune()
        hits = pool.prune()
        sure = np.flatnonzero(~pool.crowded)
        if sure.size:
            column[part[sure]], cosine[part[sure]] = decide(vectors, screen, hits, searched, place, k, screened=part)
        crowded.append(part[pool.crowded])
    return np.concatenate(crowded) if crowded else np.empty(0, dtype=np.int64)


class Part:
    """A screen seen from some of its rows."""

    def __init__(self, screen: Screen, rows: NDArray[np.int64]) -> None:
        self.screen, self.rows = screen, rows
        self.precision, self.of_torch, self.error = screen.precision, screen.of_torch, screen.error[rows]

    def tile(self, rows: Any, columns: Any) -> NDArray[Any]:
        """Tile of local rows and all columns."""
        return self.screen.tile(self.rows[rows], columns)

    def threshold(self, lowest: NDArray[np.float64]) -> NDArray[Any]:
        """As of the screen."""
        return self.screen.threshold(lowest)

    def value(self, numbers: NDArray[Any]) -> NDArray[np.float32]:
        """As of the screen."""
        return self.screen.value(numbers)

    def below(self, values: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """As of the screen, of local rows."""
        return self.screen.below(values, self.rows[rows])


def first_floor(screen: Screen, rows: NDArray[np.int64], count: int, k: int) -> NDArray[np.float64]:
    """Lower bound of the k-th largest cosine of each row, from a sample of the columns that leaves the row out."""
    width = min(count, max(_COLUMNS, 4 * k))
    columns = np.linspace(0, count, width, endpoint=False).astype(np.int64)
    scores = screen.tile(rows, columns)
    scores = np.where(rows[:, None] == columns[None, :], scores.dtype.type(_least(scores.dtype)), scores)
    if width - 1 < k:
        return np.full(rows.size, -np.inf)
    maxima = group_maxima(scores, min(width, max(256, 4 * k)))
    kth = np.partition(maxima, maxima.shape[1] - k, axis=1)[:, maxima.shape[1] - k]
    return screen.below(screen.value(kth), rows)


def _least(kind: np.dtype[Any]) -> float:
    return float(np.iinfo(kind).min) if kind.kind == "i" else -np.inf


def _row_hits(screen: Screen, rows: NDArray[np.int64], pool: CandidatePool, columns: slice) -> Hits:
    return row_hits(screen, rows, pool, columns, screen.tile(rows, columns))


def row_hits(
    screen: Screen, rows: NDArray[np.int64], pool: CandidatePool, columns: slice, scores: NDArray[Any]
) -> Hits:
    """Candidates of ``rows`` among ``columns``, whose approximate cosines are ``scores``; rows count from 0."""
    cut = screen.threshold(pool.floor - screen.error[rows])
    mask = scores >= cut[:, None]
    crowded = np.empty(0, dtype=np.int32)
    flat = np.flatnonzero(mask)
    if flat.size > pool.limit:
        number = np.bincount(flat // mask.shape[1], minlength=mask.shape[0])
        crowded = np.flatnonzero(number > pool.limit + 1).astype(np.int32)
        if crowded.size:
            mask[crowded] = False
            flat = np.flatnonzero(mask)
    left, right = np.divmod(flat, scores.shape[1])
    value = screen.value(scores.ravel()[flat])
    apart = rows[left] != right + columns.start
    return Hits(left[apart].astype(np.int32), (right[apart] + columns.start).astype(np.int32), value[apart], crowded)
