"""Places of neighbour lists that stood in the lists of an earlier scan: what hangs on a pair of texts is taken over."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.workers import run_tasks

_ROWS = 8192
_SHIFTS = 4


def rows_before(then: tuple[str, ...], now: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each text of now an earlier row with its key or -1; for each earlier row the one that stands for its key."""
    leader = np.arange(len(then))
    if now[: len(then)] == then:
        # Documents came at the end: an equal text among them is read again, which is cheaper than looking for it
        return np.concatenate([leader, np.full(len(now) - len(then), -1)]), leader
    known: dict[str, int] = {}
    leader = np.fromiter((known.setdefault(key, row) for row, key in enumerate(then)), np.int64, len(then))
    return np.fromiter((known.get(key, -1) for key in now), np.int64, len(now)), leader


def carried_places(
    then: NDArray[np.int32], now: NDArray[np.int32], before: NDArray[np.int64], leader: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Where each pair of a list stood in the earlier list of the same text.

    Parameters
    ----------
    then : int32 (M, p), earlier lists, rows of the neighbours.
    now : int32 (N, k), lists of now.
    before, leader : see :func:`rows_before`.

    Returns
    -------
    int64 (N, k), place in ``then``, flat; -1 where the pair did not stand there.
    """
    out = np.full(now.shape, -1, dtype=np.int64)
    count, depth = then.shape[0], then.shape[1]
    width = min(depth, now.shape[1])
    at_end = np.array_equal(before[:count], leader) and bool((before[count:] < 0).all())
    if at_end:
        # Rows are what they were, and a new one is in no earlier list
        lists, asked = then, now
    else:
        lists, asked = leader.astype(np.int32)[then], before.astype(np.int32)[now]

    def look(start: int) -> None:
        row = np.arange(start, min(start + _ROWS, before.size))
        row = row[before[row] >= 0]
        if not row.size:
            return
        whole = row[-1] - row[0] == row.size - 1
        part = slice(row[0], row[-1] + 1) if whole else row
        old = lists[part] if at_end else lists[before[row]]
        own = asked[part]
        begin = before[row, None] * depth
        same = old[:, :width] == own[:, :width]
        found = np.full(own.shape, -1, dtype=np.int64)
        np.copyto(found[:, :width], begin + np.arange(width), where=same)
        some = np.flatnonzero(~same.all(axis=1) | (own.shape[1] > width))
        if some.size:
            found[some] = _moved(old[some], own[some], found[some], begin[some], count if at_end else None)
        out[part] = found

    deque(run_tasks(look, range(0, before.size, _ROWS)), maxlen=0)
    return out


def _moved(
    old: NDArray[np.int32],
    own: NDArray[np.int32],
    found: NDArray[np.int64],
    begin: NDArray[np.int64],
    new_from: int | None,
) -> NDArray[np.int64]:
    """Places of lists that changed: most entries moved back by the few that came before them."""
    depth, k = old.shape[1], own.shape[1]
    for shift in range(1, min(_SHIFTS, k)):
        width = min(depth, k - shift)
        same = old[:, :width] == own[:, shift : shift + width]
        same &= found[:, shift : shift + width] < 0
        np.copyto(found[:, shift : shift + width], begin + np.arange(width), where=same)
    left = (found < 0) & ((own >= 0) if new_from is None else (own < new_from))
    place = np.flatnonzero(left)
    local = place // k
    equal = old[local] == own.ravel()[place, None]
    hit = np.flatnonzero(equal.any(axis=1))
    found.ravel()[place[hit]] = begin[local[hit], 0] + equal[hit].argmax(axis=1)
    return found
