"""Pure functions of two blocks of rows: what a scan is made of, wherever each of them runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.screening import Screen


@dataclass(frozen=True, slots=True)
class Hits:
    """Directed candidates: ``column`` may be among the nearest of ``row``.

    Attributes
    ----------
    row, column : int32 (m,).
    value : float32 (m,), approximate cosine.
    crowded : int32, rows with more candidates than the limit, whose candidates are left out.
    """

    row: NDArray[np.int32]
    column: NDArray[np.int32]
    value: NDArray[np.float32]
    crowded: NDArray[np.int32]


def block_hits(
    screen: Screen, rows: slice, columns: slice, floor: NDArray[np.float64], limit: int, *, both: bool = True
) -> Hits:
    """Candidates of a pair of blocks, in both directions.

    Parameters
    ----------
    screen : approximate cosines.
    rows, columns : the blocks, equal or disjoint.
    floor : float64 (U,), lower bounds of each row's k-th largest exact cosine; every pair that can reach it is given.
    limit : most candidates of one row in one block.
    both : also the candidates of the columns; not asked for where the blocks are equal.
    """
    scores = screen.tile(rows, columns)
    cut = screen.threshold(floor - screen.error)
    parts = [_directed(scores >= cut[rows, None], scores, rows, columns, limit, screen, turned=False)]
    if both and rows != columns:
        parts.append(_directed(scores >= cut[None, columns], scores, rows, columns, limit, screen, turned=True))
    return join_hits(parts)


def block_floor(screen: Screen, rows: slice, columns: slice, k: int) -> NDArray[np.float64]:
    """Lower bound of each row's k-th largest cosine from one block of columns; -inf where the block is too small.

    The k-th largest of the maxima of disjoint sets of columns is at most the k-th largest, and far cheaper to find.
    """
    scores = screen.tile(rows, columns)
    count, width = scores.shape
    if rows == columns:
        if not scores.flags.writeable:
            scores = scores.copy()
        np.fill_diagonal(scores, np.iinfo(np.int16).min if scores.dtype == np.int16 else -np.inf)
        width -= 1
    if width < k:
        return np.full(count, -np.inf)
    maxima = group_maxima(scores, min(scores.shape[1], max(256, 4 * k)))
    kth = np.partition(maxima, maxima.shape[1] - k, axis=1)[:, maxima.shape[1] - k]
    return screen.below(screen.value(kth), np.arange(rows.start, rows.stop))


def group_maxima(scores: NDArray[Any], groups: int) -> NDArray[Any]:
    """Largest score of each of ``groups`` disjoint sets of columns, (rows, groups)."""
    fold, rest = divmod(scores.shape[1], groups)
    maxima = scores[:, : fold * groups].reshape(scores.shape[0], fold, groups).max(axis=1)
    np.maximum(maxima[:, :rest], scores[:, fold * groups :], out=maxima[:, :rest])
    return np.asarray(maxima)


def join_hits(parts: list[Hits]) -> Hits:
    """All candidates of several tasks."""
    if not parts:
        empty = np.empty(0, dtype=np.int32)
        return Hits(empty, empty, np.empty(0, dtype=np.float32), empty)
    return Hits(*(np.concatenate([getattr(part, name) for part in parts]) for name in Hits.__slots__))


def _directed(
    mask: NDArray[np.bool_],
    scores: NDArray[Any],
    rows: slice,
    columns: slice,
    limit: int,
    screen: Screen,
    *,
    turned: bool,
) -> Hits:
    flat = np.flatnonzero(mask)
    width = mask.shape[1]
    crowded = np.empty(0, dtype=np.int32)
    start = columns.start if turned else rows.start
    if flat.size > limit:
        number = (
            np.bincount(flat % width, minlength=width)
            if turned
            else np.bincount(flat // width, minlength=mask.shape[0])
        )
        # A row's own cosine may be among them
        over = number > limit + 1
        if over.any():
            crowded = (np.flatnonzero(over) + start).astype(np.int32)
            mask = mask & ~(over[None, :] if turned else over[:, None])
            flat = np.flatnonzero(mask)
    left, right = np.divmod(flat, width)
    value = screen.value(scores.ravel()[flat])
    one, other = (left + rows.start).astype(np.int32), (right + columns.start).astype(np.int32)
    if rows == columns:
        apart = one != other
        one, other, value = one[apart], other[apart], value[apart]
    return Hits(other, one, value, crowded) if turned else Hits(one, other, value, crowded)
