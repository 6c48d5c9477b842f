"""Where the members of a group stand in each other's neighbour lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_NOBODY = -2
"""Stands in no list, where -1 is an unused place."""


def seats(index: NDArray[np.int32], members: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Places of the members of b groups.

    Every place of every list is compared with every member, as bits of one byte for eight places: some 150 comparisons
    per member that the processor does sixteen at a time, where a table to look members up in misses its caches.

    Parameters
    ----------
    index : int32 (N, depth), the lists of N documents, nearest first; -1 for an unused place.
    members : int32 (b, widest), rows of the members; -1 for a missing one, which is asked for by none.

    Returns
    -------
    place (widest, widest, b) : [j, i] the place of member j in the list of member i, depth where it is missing.
    first, second (widest, b) : places of the two nearest in the list of member i that are no members, depth where there
    are none.
    """
    depth = index.shape[1]
    group = np.ascontiguousarray(members.T)
    asked = np.where(group >= 0, group, np.int32(_NOBODY))[:, None]
    listed = np.ascontiguousarray(index.take(np.maximum(group, 0), axis=0).transpose(2, 0, 1))
    planes = -(-depth // 8)
    inside = np.zeros((planes, group.shape[0], *group.shape), dtype=np.uint8)
    used = np.zeros((planes, *group.shape), dtype=np.uint8)
    for place in range(depth):
        # A product: numpy shifts bytes one by one
        plane, bit = place // 8, np.uint8(1 << place % 8)
        inside[plane] |= (listed[place] == asked).view(np.uint8) * bit
        used[plane] |= (listed[place] >= 0).view(np.uint8) * bit
    outside = used & ~np.bitwise_or.reduce(inside, axis=1)
    first = _lowest(outside, depth)
    without = outside.copy()
    gone = first < depth
    for plane in range(planes):
        here = gone & (first // 8 == plane)
        without[plane][here] &= outside[plane][here] - np.uint8(1)
    return _lowest(inside, depth), first, _lowest(without, depth)


def _lowest(planes: NDArray[np.uint8], depth: int) -> NDArray[Any]:
    """Number of the lowest bit of p bytes, ``depth`` where none is set."""
    # Bits below the lowest one; all eight where there is none
    low = np.bitwise_count((planes & -planes) - np.uint8(1))
    found: NDArray[Any] = low[-1].astype(np.uint8 if 8 * len(planes) < 256 else np.int64)
    for one in low[-2::-1]:
        found = one + (one == 8) * found
    np.minimum(found, found.dtype.type(depth), out=found)
    return found
