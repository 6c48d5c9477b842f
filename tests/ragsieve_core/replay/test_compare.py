"""Two plays held against each other, counted by hand."""

from __future__ import annotations

import numpy as np

from ragsieve_core.replay.compare import compare
from ragsieve_core.replay.play import Played
from ragsieve_core.replay.rankings import StoredRankings


def rankings(event: list[int], events: int) -> StoredRankings:
    rows, ones = len(event), np.ones(events, dtype=np.int32)
    none = np.zeros(rows, dtype=np.bool_)
    return StoredRankings(
        np.array(event, dtype=np.int32), np.full((rows, 4), np.nan), none, none, ones > 0, np.full(events, "ok"),
        ones, ones, ones,
    )  # fmt: skip


def played(place: list[int], context: list[int], unknown: list[str]) -> Played:
    rows = np.array(place, dtype=np.int32)
    none = np.zeros(rows.size, dtype=np.bool_)
    names = np.array(unknown, dtype="<U32")
    return Played(
        rows, none, np.full(rows.size, np.nan), none, np.array(context, dtype=np.bool_), names, names,
        np.zeros(names.size, dtype=np.bool_), np.zeros(names.size, dtype=np.int32),
    )  # fmt: skip


def test_what_enters_and_leaves() -> None:
    """Event 0: the second leaves and the third enters. Event 1: the same. Event 2 is unknown under B."""
    held = rankings([0, 0, 0, 1, 1, 2, 2], 3)
    a = played([1, 2, 3, 1, 2, 1, 2], [1, 1, 0, 1, 0, 1, 0], ["", "", ""])
    b = played([1, 0, 2, 1, 2, 0, 1], [1, 0, 1, 1, 0, 0, 0], ["", "", "ranking_changed"])
    found = compare(held, a, b, np.array([True, True, True]))
    assert found.compared.tolist() == [True, True, False]
    assert found.changed.tolist() == [True, False, False]
    assert found.enters.tolist() == [False, False, True, False, False, False, False]
    assert found.leaves.tolist() == [False, True, False, False, False, False, False]
    assert found.moves.tolist() == [2, 0, 0]


def test_what_cannot_differ_is_compared_though_nobody_knows_it() -> None:
    """Same survivors and same parameters: whatever RSQ would say, it says it under both."""
    held = rankings([0, 0, 1, 1], 2)
    a = played([0, 1, 0, 1], [0, 0, 0, 0], ["ranking_changed"] * 2)
    b = played([0, 1, 0, 1], [0, 0, 0, 0], ["ranking_changed"] * 2)
    found = compare(held, a, b, np.array([True, False]))
    assert found.compared.tolist() == [True, False]
    assert not found.changed.any()
    known = played([0, 1, 0, 1], [0, 1, 0, 0], ["", "ranking_changed"])
    assert not compare(held, known, b, np.array([True, True])).enters.any()
    assert not compare(held, known, b, np.array([True, True])).changed.any()
