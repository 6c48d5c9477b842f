"""Where the members of a group stand in each other's neighbour lists."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BITS = 16
"""Length of the lists whose outsiders are found by a table of bits."""


class Seats:
    """A table of all documents for each of some groups: one look-up per entry of a list says which member it is.

    Parameters
    ----------
    rows : groups at once. count, depth, widest : documents, length of their lists, largest group.
    """

    def __init__(self, rows: int, count: int, depth: int, widest: int) -> None:
        self.depth, self.widest = depth, widest
        self.small = np.int8 if max(depth, widest) < 120 else np.int16
        self._width = count + 2
        self._rows = rows
        # Tables are handed on from task to task: fresh memory would cost more than all look-ups
        self._free: deque[NDArray[Any]] = deque()
        shape = (rows, widest, depth)
        group = np.arange(rows, dtype=np.int64)[:, None, None]
        # Laid out in full: adding a number to sixteen cells at a time costs more than reading it
        self._begin = np.broadcast_to(group * self._width, shape).copy()
        self._spot = np.broadcast_to(np.arange(widest)[:, None] * rows + group, shape).copy()
        bits = np.arange(1 << _BITS, dtype=np.uint32)
        self._lowest = np.full(bits.size, _BITS, dtype=np.int8)
        for bit in reversed(range(_BITS)):
            self._lowest[(bits >> bit & 1) == 1] = bit

    def of(
        self, lists: NDArray[np.int32], members: NDArray[np.int32]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Places of the members of b groups.

        Returns
        -------
        place (widest, widest, b) : [j, i] the place of member j in the list of member i, depth where it is missing.
        first, second (widest, b) : places of the two nearest in the list of member i that are no members, depth where
        there are none.
        """
        depth, widest, count = self.depth, self.widest, members.shape[0]
        try:
            table = self._free.pop()
        except IndexError:
            table = np.full(self._rows * self._width, widest, dtype=self.small)
            # An unused place of a list, -1, is met in the last column: neither a member nor an outsider
            table[self._width - 1 :: self._width] = widest + 1
        # A missing member is no row; the last column but one takes it and is asked by none
        own = np.where(members >= 0, members, self._width - 2) + self._begin[:count, :, 0]
        table[own] = np.arange(widest, dtype=self.small)
        who = table.take(lists.take(np.maximum(members, 0), axis=0) + self._begin[:count], mode="wrap")
        table[own] = widest
        self._free.append(table)
        place = np.full((widest + 2, widest, self._rows), depth, dtype=self.small)
        spot = who * np.int64(widest * self._rows)
        spot += self._spot[:count]
        # A member stands in a list once
        place.ravel()[spot] = np.arange(depth, dtype=self.small)
        first, second = self._outsiders(who == widest)
        return place[:widest, :, :count], first.T, second.T

    def _outsiders(self, outside: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        """First and second true place along the last axis, its length where there is none."""
        if self.depth == _BITS:
            bits = np.packbits(outside, axis=-1, bitorder="little").view(np.uint16)[..., 0]
            left = bits & (bits - np.uint16(1))
            return self._lowest.take(bits), self._lowest.take(left)
        there = np.concatenate([outside, np.ones((*outside.shape[:-1], 1), dtype=bool)], axis=-1)
        first = there.argmax(axis=-1)
        np.put_along_axis(there, first[..., None], first[..., None] == self.depth, axis=-1)
        return first.astype(self.small), there.argmax(axis=-1).astype(self.small)
