"""Neighbour lists of a scan, kept so that the next scan need not start from nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.array_folder import load_arrays, packed, save_arrays, unpacked
from ragsieve_core.rsg.knn import Neighbors, search_neighbors
from ragsieve_core.rsg.rescoring import id_order
from ragsieve_core.rsg.screening import norm_bounds, rounding_bounds
from ragsieve_core.rsg.twins import row_digests

SPARE = 8
"""Places beyond those a rule reads: a row loses neighbours to removals before it has to be searched again."""

_LATER = ("place", "norms", "residues")


@dataclass(frozen=True, slots=True)
class NeighborState:
    """Lists of N documents.

    Attributes
    ----------
    ids : N document ids.
    vectors : float32 (N, d), may be memory-mapped.
    index : int32 (N, p), nearest first, -1 in an unused place.
    cosine : float32 (N, p), -inf in an unused place.
    valid : int32 (N,), places that are known to be the nearest; fewer than p after removals.
    digests : uint64 (N,), see :func:`ragsieve_core.rsg.twins.row_digests`.
    depth : places asked for; p = min(depth, N - 1).
    place : int64 (N,), of each id in the sorted ids; None where it was not kept.
    norms : float64 (N,), upper bounds of the lengths of the rows; None where they were not kept.
    residues : float64 (N,), upper bounds of the distances of the rows to their roundings to bfloat16; None likewise.
    """

    ids: tuple[str, ...]
    vectors: NDArray[np.float32]
    index: NDArray[np.int32]
    cosine: NDArray[np.float32]
    valid: NDArray[np.int32]
    digests: NDArray[np.uint64]
    depth: int
    place: NDArray[np.int64] | None = None
    norms: NDArray[np.float64] | None = None
    residues: NDArray[np.float64] | None = None

    def neighbors(self, k: int) -> Neighbors:
        """The min(k, N - 1) nearest of every document.

        Raises
        ------
        InputError : some list is shorter.
        """
        k = min(k, len(self.ids) - 1)
        if self.valid.size and int(self.valid.min()) < k:
            raise InputError(
                f"the stored neighbour lists hold {int(self.valid.min())} neighbours",
                expected=f"at least {k}: scan the corpus anew, or keep deeper lists",
            )
        return Neighbors(self.index[:, :k].copy(), self.cosine[:, :k].copy())

    def save(self, folder: Path) -> None:
        """Write the state as ``.npy`` files; ``folder`` holds the old state or the new one, never a mixture."""
        id_bytes, id_ends = packed(self.ids)
        save_arrays(
            folder,
            {
                "vectors": np.asarray(self.vectors),
                "index": self.index,
                "cosine": self.cosine,
                "valid": self.valid,
                "digests": self.digests,
                "depth": np.array([self.depth]),
                "place": id_order(self.ids) if self.place is None else self.place,
                "norms": norm_bounds(self.vectors) if self.norms is None else self.norms,
                "residues": rounding_bounds(self.vectors) if self.residues is None else self.residues,
                "id_bytes": id_bytes,
                "id_ends": id_ends,
            },
        )

    @classmethod
    def load(cls, folder: Path) -> NeighborState:
        """Read a saved state, its vectors memory-mapped.

        Raises
        ------
        InputError : the folder holds no whole state.
        """
        names = ("vectors", "index", "cosine", "valid", "digests", "depth", "id_bytes", "id_ends")
        arrays: dict[str, Any] = dict(load_arrays(folder, names, "neighbour state", mapped=("vectors",)))
        # States of before these were kept
        extra = [np.load(folder / f"{name}.npy") if (folder / f"{name}.npy").exists() else None for name in _LATER]
        return cls(
            unpacked(arrays["id_bytes"], arrays["id_ends"]),
            **{name: arrays[name] for name in names[:5]},
            depth=int(arrays["depth"][0]),
            place=extra[0],
            norms=extra[1],
            residues=extra[2],
        )


def neighbor_state(
    vectors: NDArray[np.float32], ids: Sequence[str], depth: int, neighbors: Neighbors | None = None
) -> NeighborState:
    """State of a corpus: from a search of that depth, done here unless it is given."""
    if neighbors is None:
        neighbors = search_neighbors(vectors, ids, depth)[0]
    valid = np.full(len(ids), neighbors.index.shape[1], dtype=np.int32)
    return NeighborState(
        tuple(ids),
        vectors,
        neighbors.index,
        neighbors.cosine,
        valid,
        row_digests(vectors),
        depth,
        id_order(ids),
        norm_bounds(vectors),
        rounding_bounds(vectors),
    )
