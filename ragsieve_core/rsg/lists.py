"""Neighbour lists while they are being brought up to date."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.all_pairs import candidate_limit
from ragsieve_core.rsg.block_tasks import Hits
from ragsieve_core.rsg.candidates import CandidatePool
from ragsieve_core.rsg.deciding import decide
from ragsieve_core.rsg.neighbor_state import NeighborState
from ragsieve_core.rsg.rescoring import many_pair_cosines, ranked
from ragsieve_core.rsg.screening import Screen
from ragsieve_core.rsg.some_rows import Part, first_floor, row_hits
from ragsieve_core.workers import run_tasks

_FRESH = 1024
_COLUMNS = 4096
_PAIRS = 500_000
"""Pairs held before they are put into the lists; bounds memory."""
_MERGED = 1 << 15
"""Of these, compared with whole lists at once."""


@dataclass(slots=True)
class Lists:
    """Lists of N documents; fields as in :class:`NeighborState`, changed in place.

    Attributes
    ----------
    complete : bool (N,), lists that hold every other kept document, so that any fresh one extends them.
    place : int64 (N,), of each document id in the sorted ids.
    """

    index: NDArray[np.int32]
    cosine: NDArray[np.float32]
    valid: NDArray[np.int32]
    complete: NDArray[np.bool_]
    place: NDArray[np.int64]

    @classmethod
    def carried_over(cls, previous: NeighborState, before: NDArray[np.int64], place: NDArray[np.int64]) -> Lists:
        """Lists of the kept documents without those that are gone; empty lists of fresh ones.

        Parameters
        ----------
        previous : earlier state.
        before : int64 (N,), its row of each document, -1 for a fresh one.
        place : int64 (N,), of each document id in the sorted ids.
        """
        count = before.size
        depth = min(previous.depth, count - 1)
        out = cls(
            np.full((count, depth), -1, dtype=np.int32),
            np.full((count, depth), -np.inf, dtype=np.float32),
            np.zeros(count, dtype=np.int32),
            np.zeros(count, dtype=bool),
            place,
        )
        width = min(depth, previous.index.shape[1])
        all_then = len(previous.ids)
        if np.array_equal(before[:all_then], np.arange(all_then)):
            # All are where they were
            out.index[:all_then, :width] = previous.index[:, :width]
            out.cosine[:all_then, :width] = previous.cosine[:, :width]
            out.valid[:all_then] = np.minimum(previous.valid, width)
            out.complete[:all_then] = previous.valid == all_then - 1
            return out
        now = np.full(all_then, -1, dtype=np.int32)
        kept = np.flatnonzero(before >= 0)
        now[before[kept]] = kept
        rows = before[kept]
        old = previous.index[rows]
        live = np.arange(old.shape[1]) < previous.valid[rows, None]
        new = np.where(live, now[np.where(live, old, 0)], -1)
        cosine = previous.cosine[rows]
        lost = np.flatnonzero((live & (new < 0)).any(axis=1))
        if lost.size:
            order = np.argsort(new[lost] < 0, axis=1, kind="stable")
            new[lost] = np.take_along_axis(new[lost], order, 1)
            cosine[lost] = np.take_along_axis(cosine[lost], order, 1)
        cosine[new < 0] = -np.inf
        out.index[kept, :width] = new[:, :width]
        out.cosine[kept, :width] = cosine[:, :width]
        out.valid[kept] = np.minimum((new >= 0).sum(axis=1), width)
        out.complete[kept] = previous.valid[rows] == len(previous.ids) - 1
        return out

    def take_in(
        self, vectors: NDArray[np.float32], screen: Screen, fresh: NDArray[np.int64], leader: NDArray[np.int64]
    ) -> int:
        """Search the fresh documents, and put them into the lists they belong in; how many kept lists changed.

        A fresh document whose candidates are too many for the screening is left without a list.

        Parameters
        ----------
        vectors : float32 (N, d).
        screen : approximate cosines of all N.
        fresh : int64, rows of the fresh documents.
        leader : int64 (N,), a row with the same vector; equal pairs are worked out once.
        """
        count = self.valid.size
        is_kept = np.ones(count, dtype=bool)
        is_kept[fresh] = False
        changed = np.zeros(count, dtype=bool)
        depth = self.index.shape[1]
        edges = [slice(begin, min(begin + _COLUMNS, count)) for begin in range(0, count, _COLUMNS)]
        for start in range(0, fresh.size, _FRESH):
            part = fresh[start : start + _FRESH]
            last = self.cosine[np.arange(count), np.maximum(self.valid - 1, 0)].astype(np.float64)
            last[self.complete] = -np.inf
            # A list without a valid place is searched again as a whole; so are fresh documents
            last[~is_kept | ((self.valid == 0) & ~self.complete)] = np.inf
            cut = screen.threshold(last - 2.0**-23 - screen.error)
            pool = CandidatePool(Part(screen, part), depth, candidate_limit(depth))
            pool.raise_floor(0, first_floor(screen, part, count, depth))
            work = run_tasks(partial(_near, screen, part, cut, pool), edges, torch_tasks=screen.of_torch)
            waiting: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
            held = 0
            for row, column, hits in work:
                pool.add(hits)
                pool.prune_if_grown()
                waiting.append((row, column))
                held += row.size
                if held > _PAIRS:
                    changed[self._insert_pairs(vectors, leader, waiting)] = True
                    waiting, held = [], 0
            hits, sure = pool.prune(), part[~pool.crowded]
            if sure.size:
                self.index[sure], self.cosine[sure] = decide(
                    vectors, screen, hits, np.arange(count), self.place, depth, screened=part
                )
                self.valid[sure] = depth
            changed[self._insert_pairs(vectors, leader, waiting, sure)] = True
        return int(changed.sum())

    def _insert_pairs(
        self,
        vectors: NDArray[np.float32],
        leader: NDArray[np.int64],
        pairs: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
        decided: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Put (kept, fresh) pairs into the lists of the kept; rows that changed.

        The cosines of pairs in the lists of the fresh rows ``decided`` (increasing) are taken from there: a cosine
        is the same from both sides.
        """
        if not pairs:
            return np.empty(0, dtype=np.int64)
        row, column = (np.concatenate(side) for side in zip(*pairs, strict=True))
        cosine = np.empty(row.size, dtype=np.float32)
        known = np.zeros(row.size, dtype=bool)
        if decided is not None and decided.size and row.size:
            count = self.valid.size
            key = (decided[:, None] * count + self.index[decided]).ravel()
            order = np.argsort(key)
            asked = column * count + row
            at = order[np.minimum(np.searchsorted(key, asked, sorter=order), key.size - 1)]
            known = key[at] == asked
            cosine[known] = self.cosine[decided].ravel()[at[known]]
        unknown = np.flatnonzero(~known)
        cosine[unknown] = many_pair_cosines(vectors, leader[row[unknown]], leader[column[unknown]])
        return self._insert(row, column, cosine)

    def _insert(
        self, row: NDArray[np.int64], column: NDArray[np.int64], cosine: NDArray[np.float32]
    ) -> NDArray[np.int64]:
        end = np.maximum(self.valid[row] - 1, 0)
        last, behind = self.cosine[row, end], self.place[self.index[row, end]]
        before = (cosine > last) | ((cosine == last) & (self.place[column] < behind))
        fits = before | self.complete[row]
        row, column, cosine = row[fits], column[fits], cosine[fits]
        rows, local, number = np.unique(row, return_inverse=True, return_counts=True)
        if not rows.size:
            return rows
        depth, used = self.index.shape[1], self.valid[rows]
        order = ranked(local, cosine, self.place[column])
        local, column, cosine = local[order], column[order], cosine[order]
        old, value = self.index[rows], self.cosine[rows]
        value[np.arange(depth) >= used[:, None]] = -np.inf
        # The list is in order already: each new entry comes behind those that go before it
        ahead = np.concatenate(
            [
                self._ahead(old, value, local[part], column[part], cosine[part])
                for part in (slice(start, start + _MERGED) for start in range(0, local.size, _MERGED))
            ]
        )
        moved = np.bincount(local * (depth + 1) + ahead, minlength=rows.size * (depth + 1))
        spot = np.cumsum(moved.reshape(rows.size, -1)[:, :depth], axis=1) + np.arange(depth)
        stays = (spot < depth) & (np.arange(depth) < used[:, None])
        own = rows[np.nonzero(stays)[0]]
        self.index[own, spot[stays]], self.cosine[own, spot[stays]] = old[stays], value[stays]
        spot = ahead + np.arange(local.size) - np.searchsorted(local, np.arange(rows.size))[local]
        top = spot < depth
        self.index[rows[local[top]], spot[top]] = column[top]
        self.cosine[rows[local[top]], spot[top]] = cosine[top]
        # A list cut short to its depth does not hold everything any more
        self.complete[rows] &= used + number <= depth
        self.valid[rows] = np.minimum(used + number, depth)
        return rows

    def _ahead(
        self,
        old: NDArray[np.int32],
        value: NDArray[np.float32],
        local: NDArray[np.int64],
        column: NDArray[np.int64],
        cosine: NDArray[np.float32],
    ) -> NDArray[np.int64]:
        """How many entries of its list stand before each new one."""
        near = value[local]
        before = near > cosine[:, None]
        one, spot = np.nonzero(near == cosine[:, None])
        before[one, spot] = self.place[old[local[one], spot]] < self.place[column[one]]
        return np.asarray(before.sum(axis=1), dtype=np.int64)


def _near(
    screen: Screen, fresh: NDArray[np.int64], cut: NDArray[np.generic], pool: CandidatePool, columns: slice
) -> tuple[NDArray[np.int64], NDArray[np.int64], Hits]:
    """(kept, fresh) pairs that can belong into the kept document's list, and candidates of the fresh ones."""
    scores = screen.tile(fresh, columns)
    flat = np.flatnonzero(scores >= cut[None, columns])
    one, kept = np.divmod(flat, scores.shape[1])
    return kept + columns.start, fresh[one], row_hits(screen, fresh, pool, columns, scores)
