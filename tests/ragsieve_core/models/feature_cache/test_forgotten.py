"""Marks reach other readers of the file, hold no hash of the text, and run out."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragsieve_core.models.feature_cache import forgotten
from ragsieve_core.models.feature_cache.forgotten import Forgotten

CONTENT = "ab" * 32


def test_another_reader_learns_of_a_mark_once(tmp_path: Path) -> None:
    here, there = Forgotten(tmp_path / "f"), Forgotten(tmp_path / "f")
    assert there.refresh() == 0
    here.add([CONTENT])
    assert there.refresh() == 1
    assert there.refresh() == 1
    assert CONTENT in there
    assert "cd" * 32 not in there
    here.add(["cd" * 32])
    assert there.refresh() == 2
    assert CONTENT in there


def test_the_file_does_not_hold_the_hash(tmp_path: Path) -> None:
    Forgotten(tmp_path / "f").add([CONTENT])
    assert CONTENT not in (tmp_path / "f").read_text()


def test_marks_run_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Forgotten(tmp_path / "f").add([CONTENT])
    monkeypatch.setattr(forgotten.time, "time", lambda: 4e9)
    later = Forgotten(tmp_path / "f")
    later.refresh()
    assert CONTENT not in later


def test_a_damaged_file_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"")
    empty = Forgotten(tmp_path / "f")
    empty.refresh()
    assert CONTENT not in empty
    empty.add([CONTENT])
    empty.refresh()
    assert CONTENT in empty
