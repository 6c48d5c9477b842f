"""Recall of the surviving ranking and events that need a replay, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from ragsieve_core.whatif.ranking import RankingColumns, needs_replay, recall_at


def test_recall_equals_a_plain_loop() -> None:
    rng = np.random.default_rng(0)
    events, depth = 30, 12
    event = np.repeat(np.arange(events, dtype=np.int32), depth)
    candidate = np.full(events * depth, -1)
    place = np.tile(np.arange(depth), events)
    candidate[place < 5] = np.arange(events * 5)
    gone, relevant = rng.random(events * depth) < 0.1, rng.random(events * depth) < 0.3
    wanted = np.bincount(event[relevant], minlength=events).astype(np.int32) + (np.arange(events) % 3).astype(np.int32)
    flagged = rng.random(events * 5) < 0.4
    shares = []
    for number in range(events):
        left = [
            relevant[row]
            for row in np.flatnonzero(event == number)
            if not gone[row] and not (candidate[row] >= 0 and flagged[candidate[row]])
        ]
        if wanted[number]:
            shares.append(sum(left[:5]) / wanted[number])
    value, judged = recall_at(RankingColumns(event, candidate, gone, relevant, wanted), flagged)
    assert judged == len(shares)
    assert value == pytest.approx(np.mean(shares))


def test_recall_without_judgements_is_not_available() -> None:
    empty = np.zeros(0, np.int32)
    columns = RankingColumns(
        empty, empty.astype(np.int64), empty.astype(bool), empty.astype(bool), np.zeros(3, np.int32)
    )
    value, judged = recall_at(columns, np.zeros(0, bool))
    assert np.isnan(value)
    assert judged == 0


def test_events_that_need_a_replay() -> None:
    document = np.array([0, 1, -1, 2, 1], dtype=np.int64)
    event = np.array([0, 0, 1, 1, 2], dtype=np.int32)
    assert needs_replay(document, event, np.array([False, True, False])) == 2
    assert needs_replay(document, event, np.array([False, False, False])) == 0
