from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragsieve_core.models.cache_dir import cache_dir


def test_the_variable_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAGSIEVE_CACHE", str(tmp_path))
    assert cache_dir() == tmp_path


@pytest.mark.parametrize(
    ("platform", "variable", "below"),
    [
        ("linux", "XDG_CACHE_HOME", "ragsieve"),
        ("win32", "LOCALAPPDATA", "ragsieve"),
        ("linux", None, ".cache/ragsieve"),
        ("darwin", None, "Library/Caches/ragsieve"),
        ("win32", None, "AppData/Local/ragsieve"),
    ],
)
def test_else_the_platforms_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variable: str | None, below: str
) -> None:
    for name in ("RAGSIEVE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path))
    assert cache_dir() == tmp_path / below
