"""Effects of a setting on stored rankings: recall of what survives, and events that only a replay can answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RankingColumns:
    """Stored rankings, row i = one ranked document, by event and then rank.

    Attributes
    ----------
    event : int32 (m,), event of the row, increasing.
    candidate : int64 (m,), row of the document in :class:`ragsieve_core.whatif.rsq.RSQColumns`; -1 = no candidate.
    gone : bool (m,), left before RSQ: quarantined, held, flagged by RSG.
    relevant : bool (m,), by the qrels.
    wanted : int32 (events,), relevant documents of the event's query, also those never ranked; 0 = no qrels.
    """

    event: NDArray[np.int32]
    candidate: NDArray[np.int64]
    gone: NDArray[np.bool_]
    relevant: NDArray[np.bool_]
    wanted: NDArray[np.int32]


def recall_at(columns: RankingColumns, flagged: NDArray[np.bool_], k: int = 5) -> tuple[float, int]:
    """Mean over judged events of the share of relevant documents among the first k that survive, and their number.

    Flagged candidates leave and the ranking moves up once; replacements are not scored again, as in METHOD, "Serial
    deployment". NaN where no event is judged: then recall is not available, not 0.
    """
    judged = columns.wanted > 0
    events = int(judged.sum())
    if not events:
        return float("nan"), 0
    stays = ~columns.gone
    some = columns.candidate >= 0
    stays[some] &= ~flagged[columns.candidate[some]]
    running = np.cumsum(stays)
    first = np.r_[True, columns.event[1:] != columns.event[:-1]] if columns.event.size else np.zeros(0, np.bool_)
    # Survivors counted before the event begins
    base: NDArray[np.int64] = np.repeat(
        (running - stays)[first], np.diff(np.r_[np.flatnonzero(first), columns.event.size])
    )
    top = stays & (running - base <= k) & columns.relevant
    found = np.bincount(columns.event[top], minlength=columns.wanted.size)
    return float((found[judged] / columns.wanted[judged]).mean()), events


def needs_replay(document: NDArray[np.int64], event: NDArray[np.int32], flipped: NDArray[np.bool_]) -> int:
    """Events whose ranking holds a document that flips.

    Its tail, its candidates and so all four terms would change: their stored scores are of another ranking, so they
    are counted and never rescored.

    Parameters
    ----------
    document : int64 (m,), row of each ranked document in the scan; -1 = not in it.
    event : int32 (m,).
    flipped : bool (N,), over the documents of the scan.
    """
    if not flipped.any():
        return 0
    known = document >= 0
    hit = event[known][flipped[document[known]]]
    return int(np.unique(hit).size)
