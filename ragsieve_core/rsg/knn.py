"""Exact nearest neighbours by cosine, with final cosines that do not depend on how the search was cut up.

A block search at low precision proposes every neighbour that could be among the k nearest, given the error it can
have; :func:`pair_cosines` then gives each proposed pair its one cosine, and only that decides. Any other search that
proposes a superset ends in the same bits. Measurements behind it: docs/why/knn.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import Progress
from ragsieve_core.rsg.all_pairs import SearchReport, search_pairs
from ragsieve_core.rsg.rescoring import id_order, pair_cosines, screening_error
from ragsieve_core.rsg.twins import share_out, twins

__all__ = [
    "Neighbors",
    "SearchReport",
    "id_order",
    "nearest_neighbors",
    "pair_cosines",
    "screening_error",
    "search_neighbors",
]


@dataclass(frozen=True, slots=True)
class Neighbors:
    """k nearest neighbours of each of N documents.

    Attributes
    ----------
    index : int32 (N, k), row of the neighbour, nearest first; equal cosines in order of document id.
    cosine : float32 (N, k), non-increasing along a row, in [-1, 1] up to rounding.
    """

    index: NDArray[np.int32]
    cosine: NDArray[np.float32]


def nearest_neighbors(
    vectors: NDArray[np.float32],
    ids: Sequence[str],
    k: int,
    *,
    block: int = 1024,
    progress: Progress | None = None,
) -> Neighbors:
    """Exact k nearest neighbours of every row among the others: :func:`search_neighbors` without its report."""
    return search_neighbors(vectors, ids, k, block=block, progress=progress)[0]


def search_neighbors(
    vectors: NDArray[np.float32],
    ids: Sequence[str],
    k: int,
    *,
    block: int = 1024,
    precision: str | None = None,
    device: str = "cpu",
    scratch: Path | None = None,
    progress: Progress | None = None,
) -> tuple[Neighbors, SearchReport]:
    """Exact k nearest neighbours of every row among the others, and how they were found.

    Parameters
    ----------
    vectors : float32 (N, d), unit rows, may be memory-mapped: they are read in blocks.
    ids : N document ids; decide ties.
    k : neighbours wanted; min(k, N - 1) are returned.
    block : rows of a block; memory is a few times block^2 bytes and N (2 d + some hundred) bytes.
    precision : ``bf16`` or ``fp32`` for the screening; by default bf16 where the hardware has units for it. The result
        is the same.
    device : torch device of the screening, ``cpu`` or ``cuda``.
    scratch : folder where finished blocks are kept until the search ends, and found again by a search of the same
        vectors.
    progress : called with (rows done, N).

    Raises
    ------
    InputError : fewer than two documents.
    """
    count = vectors.shape[0]
    if count < 2:
        raise InputError(
            f"the corpus holds {count} document{'' if count == 1 else 's'}",
            expected="at least two documents: a neighbourhood needs a neighbour",
        )
    k = min(k, count - 1)
    place = id_order(ids)
    same = twins(vectors, place)
    rows = same.rows
    column, cosine, report = search_pairs(
        vectors,
        rows,
        place,
        min(k, rows.size - 1),
        block=block,
        precision=precision,
        device=device,
        scratch=scratch,
        progress=progress,
    )
    if not same.any:
        return Neighbors(column.astype(np.int32), cosine), report
    return Neighbors(*share_out(vectors, same, column, cosine, place, k)), report
