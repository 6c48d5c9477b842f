"""Candidates, guard and tail."""

from __future__ import annotations

from ragsieve_core.rsq import CalibratedRSQConfig
from ragsieve_core.rsq.calibrated.sides import Sides


def test_fifty_and_more_ranks() -> None:
    found = Sides.of(60, CalibratedRSQConfig())
    assert (found.candidates, found.guard, found.tail, found.short) == (range(5), range(5, 10), range(10, 50), False)


def test_a_shorter_ranking_uses_what_is_there_and_says_so() -> None:
    found = Sides.of(24, CalibratedRSQConfig())
    assert (found.guard, found.tail, found.short) == (range(5, 10), range(10, 24), True)
