"""Stored rankings as columns: places among what stays, counted by hand, and what cannot be one table."""

from __future__ import annotations

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.replay.rankings import StoredRankings


def table(event: list[int], events: int) -> StoredRankings:
    rows = len(event)
    none = np.zeros(rows, dtype=np.bool_)
    ends = np.ones(events, dtype=np.int32)
    return StoredRankings(
        np.array(event, dtype=np.int32), np.full((rows, 4), np.nan), none, none, np.zeros(events, dtype=np.bool_),
        np.full(events, "ok"), ends * 4, ends * 3, ends * 2,
    )  # fmt: skip


def test_places_begin_anew_with_each_event_also_after_one_without_rows() -> None:
    held = table([0, 0, 0, 2, 2], 3)
    stays = np.array([True, False, True, False, True])
    assert held.places(stays).tolist() == [1, 0, 2, 0, 1]
    assert held.any_row(stays).tolist() == [True, False, True]
    assert table([], 2).places(np.zeros(0, dtype=np.bool_)).tolist() == []


def test_rows_out_of_order_and_columns_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match="out of order"):
        table([1, 0], 2)
    with pytest.raises(InputError, match="out of order"):
        table([0, 2], 2)
    held = table([0, 0], 1)
    with pytest.raises(InputError, match="different length"):
        StoredRankings(
            held.event, held.terms[:1], held.stays_out, held.was_quarantined, held.scored, held.state, held.n,
            held.n_least, held.k,
        )  # fmt: skip
