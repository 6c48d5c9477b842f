"""One version over all stored rankings: what survives its quarantine, what RSQ takes, what the context becomes.

Scores of the original ranking are never reused for a changed one (METHOD, "Serial deployment"): where the documents
that RSQ looks at are others than then, the outcome is unknown until somebody scores them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ragsieve_core.replay.rankings import Bools, Floats, Integers, StoredRankings, Words
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.decision import combined_score
from ragsieve_core.serial import RankingState


class Unknown(StrEnum):
    """Why the final context of an event under a version is not known."""

    RANKING_CHANGED = "ranking_changed"
    """Among the documents that RSQ looks at are others than then, and nobody scored them."""
    OTHER_RULE = "other_rule"
    """The version scores by another rule, or over another depth, than the event was scored by."""
    NEVER_SCORED = "never_scored"
    """The ranking is the same as then, but it was not scored then, or its scores are of other documents."""


@dataclass(frozen=True, slots=True)
class Side:
    """One version, laid over the rows of :class:`StoredRankings`.

    Attributes
    ----------
    quarantined : bool (m,), out by the quarantine of this version.
    configs, config : parameters in use, and which of them each event has, int32 (E,).
    other_rule : bool (E,), scored then by another rule than this version's.
    scored_anew : bool (E,), events whose ranking under this version was scored by the models since.
    terms : float64 (m, 4), terms of their candidates, NaN elsewhere.
    state : str (E,), states of those answers.
    """

    quarantined: Bools
    configs: Sequence[RSQConfig]
    config: Integers
    other_rule: Bools
    scored_anew: Bools
    terms: Floats
    state: Words


@dataclass(frozen=True, slots=True)
class Played:
    """What became of every stored ranking under one version.

    Attributes
    ----------
    place : int32 (m,), place among the survivors from 1; 0 = quarantined, held or otherwise out.
    looked_at : bool (m,), survivors that RSQ looks at.
    score : float64 (m,), of candidates under this version's parameters, higher = more suspicious; NaN elsewhere.
    flagged : bool (m,), candidates that RSQ takes out.
    context : bool (m,), documents of the final context; none for an unknown event.
    unknown : str (E,), a name of :class:`Unknown`, empty where the context is known.
    state : str (E,), state of the answer; for an unknown event its reason.
    tail_short : bool (E,), survivors enough to be scored and fewer than the rule looks at.
    config : int32 (E,), number of the parameters among ``configs`` of the side.
    """

    place: Integers
    looked_at: Bools
    score: Floats
    flagged: Bools
    context: Bools
    unknown: Words
    state: Words
    tail_short: Bools
    config: Integers


def play(rankings: StoredRankings, side: Side) -> Played:
    """Play every ranking under one version: quarantine, RSQ on the survivors, one refill.

    Stored terms count where the documents looked at are those of then; the version's own threshold, weights and gates
    apply to them. Higher scores are more suspicious; flagged at score >= threshold.
    """
    event = rankings.event
    stays = ~(rankings.stays_out | side.quarantined)
    place = rankings.places(stays)
    n, n_least, k = (np.array([getattr(c, name) for c in side.configs])[side.config] for name in ("n", "n_least", "k"))
    looked_at = (place > 0) & (place <= n[event])
    then = rankings.places(~(rankings.stays_out | rankings.was_quarantined))
    looked_then = (then > 0) & (then <= rankings.n[event])
    other = side.other_rule | (n != rankings.n) | (k != rankings.k)
    same = ~rankings.any_row(looked_at != looked_then) & ~other
    # A gate may have passed over documents that it left in: then the scores are not of this ranking's candidates
    elsewhere = np.isfinite(rankings.terms).all(axis=1) & ((then == 0) | (then > rankings.k[event]))
    stored = same & rankings.scored & ~rankings.any_row(elsewhere) & ~side.scored_anew
    terms = np.where(side.scored_anew[event][:, None], side.terms, rankings.terms)
    usable = (stored | side.scored_anew)[event] & (place > 0) & (place <= k[event]) & np.isfinite(terms).all(axis=1)
    score, flagged = np.full(event.size, np.nan), np.zeros(event.size, dtype=np.bool_)
    for number, config in enumerate(side.configs):
        rows = np.flatnonzero(usable & (side.config[event] == number))
        if rows.size:
            anchor, script, surprisal, alignment = terms[rows].T
            score[rows] = combined_score(anchor, script, surprisal, alignment, config)
            flagged[rows] = score[rows] >= config.threshold
    left = np.bincount(event[stays], minlength=rankings.events)
    unknown = np.select(
        [stored | side.scored_anew | (left < n_least), other, same],
        ["", Unknown.OTHER_RULE.value, Unknown.NEVER_SCORED.value],
        Unknown.RANKING_CHANGED.value,
    ).astype(np.str_)
    state = np.select(
        [left == 0, stored, side.scored_anew, left < n_least],
        [
            np.full(left.size, RankingState.EMPTY.value),
            rankings.state,
            side.state,
            np.full(left.size, RankingState.TAIL_TOO_SHORT.value),
        ],
        unknown,
    ).astype(np.str_)
    kept = rankings.places(stays & ~flagged & (unknown == "")[event])
    context = (kept > 0) & (kept <= k[event])
    short = (left >= n_least) & (left < n)
    return Played(place, looked_at, score, flagged, context, unknown, state, short, side.config)
