"""Candidates of every row, merged as block tasks end, and the rising floor below which nothing can be a neighbour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.block_tasks import Hits, join_hits
from ragsieve_core.rsg.rescoring import falling_bits
from ragsieve_core.rsg.screening import Screen

_FULL = 4_000_000
"""Candidates held before they are pruned in any case; bounds memory."""


class CandidatePool:
    """Candidates of U rows.

    Attributes
    ----------
    floor : float64 (U,), lower bound of each row's k-th largest exact cosine so far; only rises.
    crowded : bool (U,), rows with more than ``limit`` candidates within the screening error of their k-th: given up,
        to be searched again more exactly.
    """

    def __init__(self, screen: Screen, k: int, limit: int) -> None:
        self.screen, self.k, self.limit = screen, k, limit
        count = screen.error.shape[0]
        self.floor = np.full(count, -np.inf)
        self.crowded = np.zeros(count, dtype=bool)
        self._parts: list[Hits] = []
        self._held = self._pruned = 0

    def raise_floor(self, start: int, floor: NDArray[np.float64]) -> None:
        """Take in lower bounds for the rows from ``start`` on."""
        part = self.floor[start : start + floor.shape[0]]
        np.maximum(part, floor, out=part)

    def add(self, hits: Hits) -> None:
        """Take in the candidates of a task."""
        self._parts.append(hits)
        self._held += hits.row.size
        self._give_up(hits.crowded)
        if self._held > _FULL + 2 * self._pruned:
            self.prune()

    def prune_if_grown(self) -> None:
        """Prune where half as many candidates again have come in since the last time."""
        if 2 * self._held > 3 * self._pruned:
            self.prune()

    def _give_up(self, rows: NDArray[np.int32]) -> None:
        self.crowded[rows] = True
        # No cosine reaches it: no more candidates for them
        self.floor[rows] = np.inf

    def prune(self) -> Hits:
        """Raise the floors, drop what lies below; candidates by row, falling."""
        hits = join_hits(self._parts)
        fits = ~self.crowded[hits.row]
        row, column, value = hits.row[fits], hits.column[fits], hits.value[fits]
        order = np.argsort((row.astype(np.uint64) << np.uint64(32)) | falling_bits(value))
        row, column, value = row[order], column[order], value[order]
        first = np.searchsorted(row, np.arange(self.floor.size + 1))
        held = np.diff(first)
        enough = np.flatnonzero(held >= self.k)
        kth = value[first[enough] + self.k - 1]
        self.floor[enough] = np.maximum(self.floor[enough], self.screen.below(kth, enough))
        cut = self.screen.value(self.screen.threshold(self.floor - self.screen.error))
        fits = value >= cut[row]
        number = np.bincount(row[fits], minlength=self.floor.size)
        over = np.flatnonzero(number > self.limit)
        if over.size:
            self._give_up(over.astype(np.int32))
            fits &= ~self.crowded[row]
        empty = np.empty(0, dtype=np.int32)
        kept = Hits(row[fits], column[fits], value[fits], empty)
        self._parts, self._held = [kept], kept.row.size
        self._pruned = kept.row.size
        return kept
