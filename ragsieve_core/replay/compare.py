"""Two plays of the same stored rankings: which contexts differ, and which cannot be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragsieve_core.replay.play import Played
from ragsieve_core.replay.rankings import Bools, Integers, StoredRankings


@dataclass(frozen=True, slots=True)
class Comparison:
    """Version B against version A.

    Attributes
    ----------
    compared : bool (E,), the final context is known under both, or cannot differ.
    changed : bool (E,), compared, and the final contexts differ.
    enters, leaves : bool (m,), documents in the context of B and not of A, and the other way round.
    moves : int32 (E,), documents that enter or leave.
    """

    compared: Bools
    changed: Bools
    enters: Bools
    leaves: Bools
    moves: Integers


def compare(rankings: StoredRankings, a: Played, b: Played, same_parameters: Bools) -> Comparison:
    """Hold two plays against each other.

    A context is a set of documents in the order of their ranks, so that two differ exactly where a document is in one
    and not in the other. Where survivors and parameters are the same under both, so is the context, known or not.

    Parameters
    ----------
    same_parameters : bool (E,), both versions score the event by equal parameters.
    """
    alike = ~rankings.any_row((a.place > 0) != (b.place > 0)) & same_parameters
    compared = alike | ((a.unknown == "") & (b.unknown == ""))
    # One side may be known though they are alike: scored anew under that version alone
    both = (compared & ~alike)[rankings.event]
    enters, leaves = b.context & ~a.context & both, a.context & ~b.context & both
    moves = np.bincount(rankings.event[enters | leaves], minlength=rankings.events).astype(np.int32)
    return Comparison(compared, moves > 0, enters, leaves, moves)
