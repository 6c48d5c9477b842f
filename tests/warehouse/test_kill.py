"""A short run of benchmarks/torture.py, which makes 40 kills."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.torture import torture


@pytest.mark.slow
def test_random_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    assert torture(6, seed=5, folder=tmp_path) == []
