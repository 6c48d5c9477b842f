"""Stored rankings as columns: what each event ranked, what left it then, and the terms of its candidates."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Words = NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class StoredRankings:
    """m ranked documents of E events.

    Attributes
    ----------
    event : int32 (m,), event of the row, 0-based, not decreasing; rows of an event in rank order.
    terms : float64 (m, 4), anchor, script, surprisal, alignment as stored, each >= 0, higher = more suspicious; NaN
        where the document was no candidate or had no score.
    stays_out : bool (m,), left by something that no version changes: a hold, the admission policy, a gate's own rule.
    was_quarantined : bool (m,), left by the quarantine in force then.
    scored : bool (E,), evidence of the event is stored.
    state : str (E,), state of the answer then.
    n, n_least, k : int32 (E,), ranks looked at, fewest that the rule scores, size of the context, as used then.
    starts : int64 (E + 1,), made here: rows of event e are starts[e] to starts[e + 1].
    """

    event: Integers
    terms: Floats
    stays_out: Bools
    was_quarantined: Bools
    scored: Bools
    state: Words
    n: Integers
    n_least: Integers
    k: Integers
    starts: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        rows, events = self.event.size, self.scored.size
        long = all(len(getattr(self, name)) == rows for name in ("terms", "stays_out", "was_quarantined"))
        if not long or any(len(getattr(self, name)) != events for name in ("state", "n", "n_least", "k")):
            raise InputError("columns of different length", where="stored rankings", expected=f"{rows} rows")
        if rows and (int(self.event[-1]) >= events or (np.diff(self.event) < 0).any()):
            raise InputError("rows out of order", where="stored rankings", expected="events in order, 0-based")
        starts = np.searchsorted(self.event, np.arange(events + 1, dtype=np.int32))
        object.__setattr__(self, "starts", starts.astype(np.int64))

    @property
    def events(self) -> int:
        """E."""
        return int(self.scored.size)

    def any_row(self, rows: Bools) -> Bools:
        """bool (E,): events with at least one of these rows."""
        return np.asarray(np.bincount(self.event[rows], minlength=self.events) > 0, dtype=np.bool_)

    def places(self, stays: Bools) -> Integers:
        """int32 (m,): place from 1 among the rows of the event that stay; 0 for a row that does not."""
        running = np.cumsum(stays, dtype=np.int64)
        # Rows that stayed before the event begins
        before = np.r_[0, running][self.starts[:-1]]
        return np.asarray(np.where(stays, running - before[self.event], 0), dtype=np.int32)
