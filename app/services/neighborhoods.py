"""Neighbour lists of a snapshot: brought up to date from those of the last scan, or searched in full and resumably."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.services.waiting import Say
from ragsieve_core.models.roles import Progress
from ragsieve_core.rsg.all_pairs import split
from ragsieve_core.rsg.incremental import update_neighbors
from ragsieve_core.rsg.knn import search_neighbors
from ragsieve_core.rsg.neighbor_state import SPARE, NeighborState, neighbor_state
from warehouse.errors import StorageError
from warehouse.neighbor_files import Earlier, NeighborKey, earlier_state, load_lists, save_lists
from warehouse.scan_scratch import scan_scratch
from warehouse.side import Side
from warehouse.snapshots import SnapshotDocuments

BLOCK = 1024
"""Rows of a block of a full search: what an interrupted one loses is at most the block in work."""

MOST_FRESH = 0.4
"""Share of new or changed documents up to which the old lists are used: a full search takes each pair of documents
once, one of m new documents takes m N pairs, so that they cost the same at one half."""


@dataclass(frozen=True, slots=True)
class Neighborhoods:
    """Lists and how they came about.

    Attributes
    ----------
    state : lists of all documents, deep enough for the rule.
    search : JSON values. mode (full, incremental or unchanged), reason (why not incremental; empty where it is),
        documents, searched (rows), precision, redone_share (of the bf16 screening, 0 to 1), blocks, blocks_reused,
        moved (kept lists that took in a new document), gone (documents of the old lists).
    """

    state: NeighborState
    search: dict[str, Any]


def find_neighborhoods(
    side: Side,
    documents: SnapshotDocuments,
    vectors: NDArray[np.float32],
    encoder: str,
    k: int,
    *,
    say: Say,
    progress: Progress | None = None,
) -> Neighborhoods:
    """The k nearest of every document and a few to spare, bit for bit those of a full search.

    Parameters
    ----------
    side : folder of the warehouse, also where another process owns the warehouse.
    vectors : float32 (N, d), unit rows, in the order of ``documents``.
    k : neighbours that the rule reads.

    Raises
    ------
    InputError : fewer than two documents.
    """
    side.create()
    key = NeighborKey(documents.corpus_id, encoder, k + SPARE)
    earlier, reason = _earlier(side, key, documents, vectors, say)
    if earlier is None:
        found = _full(side, documents.ids, vectors, key.depth, reason, say, progress)
    elif earlier.fresh == 0 and len(earlier.state.ids) == len(documents):
        search = _search("unchanged", documents.ids, 0)
        found = Neighborhoods(earlier.state, search)
    else:
        state, report = update_neighbors(earlier.state, vectors, documents.ids, k)
        more = {"moved": report.moved, "gone": report.gone}
        found = Neighborhoods(state, _search("incremental", documents.ids, report.fresh + report.repaired) | more)
    try:
        # Written anew even if nothing changed: its age says whether a scan still uses it
        save_lists(side, key, documents.version_ids, found.state)
    except OSError as error:
        say(f"the neighbour lists could not be kept ({error.strerror}): the next scan searches everything")
    return found


def _earlier(
    side: Side, key: NeighborKey, documents: SnapshotDocuments, vectors: NDArray[np.float32], say: Say
) -> tuple[Earlier | None, str]:
    try:
        kept = load_lists(side, key)
    except StorageError as error:
        say(f"{error.what} ({error.where}): searching everything")
        return None, f"broken lists: {error.what}"
    if kept is None:
        return None, "no earlier lists"
    if len(documents) < 2:
        return None, "too few documents"
    found = earlier_state(kept, key.depth, documents.version_ids, documents.ids, vectors)
    if found.fresh > MOST_FRESH * len(documents):
        return None, f"{found.fresh:,} of {len(documents):,} documents are new or changed"
    return found, ""


def _full(
    side: Side,
    ids: Sequence[str],
    vectors: NDArray[np.float32],
    depth: int,
    reason: str,
    say: Say,
    progress: Progress | None,
) -> Neighborhoods:
    with scan_scratch(side) as scratch:
        if scratch is None:
            say("another scan keeps its blocks at this moment: this one starts anew if it is interrupted")
        elif not os.access(scratch, os.W_OK):
            scratch = None
        neighbors, report = search_neighbors(vectors, ids, depth, block=BLOCK, scratch=scratch, progress=progress)
    nearest = min(depth, len(ids) - 1, max(report.searched - 1, 1))
    blocks = len(split(report.searched, max(BLOCK, nearest + 1)))
    if report.reused_blocks:
        say(f"resumed: {report.reused_blocks:,} of {blocks:,} blocks reused")
    search = _search("full", ids, report.searched) | {
        "reason": reason,
        "precision": report.precision,
        "redone_share": report.redone_share,
        "blocks": blocks,
        "blocks_reused": report.reused_blocks,
    }
    return Neighborhoods(neighbor_state(vectors, ids, depth, neighbors), search)


def _search(mode: str, ids: Sequence[str], searched: int) -> dict[str, Any]:
    return {
        "mode": mode,
        "reason": "",
        "documents": len(ids),
        "searched": searched,
        "precision": None,
        "redone_share": 0.0,
        "blocks": 0,
        "blocks_reused": 0,
        "moved": 0,
        "gone": 0,
    }
