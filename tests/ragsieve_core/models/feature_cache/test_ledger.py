"""Counts of several processes add up; a damaged ledger reads as none."""

from __future__ import annotations

from pathlib import Path

from ragsieve_core.models.feature_cache.ledger import Ledger, Tally, added


def test_round_trip_and_damage(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    assert ledger.read() is None
    with ledger.locked():
        ledger.write(Tally(bytes=7, asked=2))
    assert Ledger(tmp_path).read() == Tally(bytes=7, asked=2)
    for damage in ("", "[]", '{"bytes": "x"}', '{"bytes": 1}'):
        (tmp_path / "ledger.json").write_text(damage)
        assert ledger.read() is None


def test_added_leaves_the_first_as_it_was() -> None:
    tally = Tally(bytes=1)
    assert added(tally, {"bytes": 2, "asked": 3}) == Tally(bytes=3, asked=3)
    assert tally == Tally(bytes=1)
