"""Every pair of blocks once: candidates of all rows, then their neighbours, then the rows that need a closer look."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.models.roles import Progress
from ragsieve_core.rsg.block_tasks import Hits, block_floor, block_hits, join_hits
from ragsieve_core.rsg.candidates import CandidatePool
from ragsieve_core.rsg.deciding import decide, decide_in_full
from ragsieve_core.rsg.products import certified_products
from ragsieve_core.rsg.scratch import Scratch, search_key
from ragsieve_core.rsg.screening import Bf16Screen, Fp32Screen, Screen, has_bf16_units, holds
from ragsieve_core.rsg.some_rows import search_rows
from ragsieve_core.workers import run_tasks


@dataclass(frozen=True, slots=True)
class SearchReport:
    """How a search went.

    Attributes
    ----------
    precision : of the screening, ``bf16`` or ``fp32``.
    searched : different vectors.
    redone : of them, searched again in float32 since too many neighbours lay within the error of bf16.
    in_full : of them, decided from all float64 cosines since float32 could not part their neighbours either.
    reused_blocks : found in the scratch folder.
    """

    precision: str
    searched: int
    redone: int
    in_full: int
    reused_blocks: int

    @property
    def redone_share(self) -> float:
        """Share of the vectors searched again, in [0, 1]."""
        return self.redone / max(1, self.searched)


def candidate_limit(k: int) -> int:
    """Candidates of a row from which searching it again is cheaper than their exact cosines."""
    return max(192, 6 * k)


def search_pairs(
    vectors: NDArray[np.float32],
    rows: NDArray[np.int64],
    place: NDArray[np.int64],
    k: int,
    *,
    block: int = 1024,
    precision: str | None = None,
    device: str = "cpu",
    scratch: Path | None = None,
    progress: Progress | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32], SearchReport]:
    """Nearest neighbours among the different vectors.

    Parameters
    ----------
    vectors : float32 (N, d).
    rows : int64 (U,), increasing rows of different vectors.
    place : int64 (N,), of each document id in the sorted ids.
    k : neighbours, <= U - 1.
    block, precision, device, scratch, progress : see :func:`ragsieve_core.rsg.knn.search_neighbors`.

    Returns
    -------
    int64 (U, k) numbers in ``rows``, float32 (U, k) cosines, and the report.
    """
    count = rows.size
    chosen = precision or ("bf16" if device != "cpu" or has_bf16_units() else "fp32")
    if k == 0:
        return (
            np.empty((count, 0), dtype=np.int64),
            np.empty((count, 0), dtype=np.float32),
            SearchReport(chosen, count, 0, 0, 0),
        )
    some = None if count == vectors.shape[0] else rows
    kept = None
    if scratch is not None:
        kept = Scratch(scratch, search_key(vectors, rows.tobytes(), k, block, chosen, device, "1"))
    with certified_products():
        return _search(vectors, some, rows, place, k, block, chosen, device, kept, progress)


def _search(
    vectors: NDArray[np.float32],
    some: NDArray[np.int64] | None,
    rows: NDArray[np.int64],
    place: NDArray[np.int64],
    k: int,
    block: int,
    chosen: str,
    device: str,
    kept: Scratch | None,
    progress: Progress | None,
) -> tuple[NDArray[np.int64], NDArray[np.float32], SearchReport]:
    count = rows.size
    column = np.empty((count, k), dtype=np.int64)
    cosine = np.empty((count, k), dtype=np.float32)
    screen: Screen = (Bf16Screen if chosen == "bf16" else Fp32Screen)(vectors, some, device)
    if not holds(screen, vectors, some):
        # Hardware that sums worse than anything known to us: float32 on the processor decides
        chosen, device = "fp32", "cpu"
        screen = Fp32Screen(vectors, some)
    hits, crowded = _candidates(screen, k, block, kept, vectors.shape[0], progress)
    sure = np.flatnonzero(~crowded)
    if sure.size:
        column[sure], cosine[sure] = decide(vectors, screen, hits, rows, place, k)
    del hits
    redo = np.flatnonzero(crowded)
    full = redo
    if redo.size and chosen == "bf16":
        # The rounded vectors are not needed any more
        del screen
        exact_screen = Fp32Screen(vectors, some, device)
        full = search_rows(vectors, exact_screen, redo, rows, place, k, candidate_limit(k), column, cosine)
    if full.size:
        column[full], cosine[full] = decide_in_full(vectors, rows[full], rows, place, k)
    if kept is not None:
        kept.done()
    if progress is not None:
        progress(vectors.shape[0], vectors.shape[0])
    return column, cosine, SearchReport(chosen, count, redo.size, full.size, kept.reused if kept else 0)


def _candidates(
    screen: Screen, k: int, block: int, kept: Scratch | None, total: int, progress: Progress | None
) -> tuple[Hits, NDArray[np.bool_]]:
    count = screen.error.shape[0]
    blocks = split(count, max(block, k + 1))
    pool = CandidatePool(screen, k, candidate_limit(k))
    small = split(count, max(512, 32 * k))
    diagonal = run_tasks(lambda rows: block_floor(screen, rows, rows, k), small, torch_tasks=True)
    for rows, floor in zip(small, diagonal, strict=True):
        pool.raise_floor(rows.start, floor)
    missing = []
    for number in range(len(blocks)):
        found = kept.load_hits(f"block-{number:05d}") if kept else None
        if found is None:
            missing.append(number)
        else:
            pool.add(found)
    # Each block against itself and all later ones; the floors of all rows rise from block to block
    pairs = [(number, other) for number in missing for other in range(number, len(blocks))]
    work = run_tasks(
        lambda pair: block_hits(screen, blocks[pair[0]], blocks[pair[1]], pool.floor, pool.limit),
        pairs,
        torch_tasks=True,
    )
    done: list[Hits] = []
    for finished, ((number, other), hits) in enumerate(zip(pairs, work, strict=True), start=1):
        pool.add(hits)
        done.append(hits)
        if other == len(blocks) - 1:
            if kept:
                kept.save_hits(f"block-{number:05d}", join_hits(done))
            done = []
            pool.prune_if_grown()
        if progress is not None:
            progress(int(total * finished / (len(pairs) + 1)), total)
    return pool.prune(), pool.crowded


def split(count: int, block: int) -> list[slice]:
    """Blocks of at most ``block`` rows, their sizes within one of each other."""
    number = -(-count // block)
    edges = np.linspace(0, count, number + 1).astype(int).tolist()
    return [slice(start, stop) for start, stop in pairwise(edges)]
