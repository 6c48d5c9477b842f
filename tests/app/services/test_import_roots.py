"""Paths of the server: admins only, below a root only, whatever links and dots say."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.services.import_roots import VARIABLE, allowed_path
from ragsieve_core.errors import InputError, RagsieveError
from warehouse.principal import Principal

ADMIN = Principal("ada", "admin")


def test_only_below_a_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, outside = tmp_path / "in", tmp_path / "out"
    root.mkdir()
    outside.mkdir()
    (root / "a.jsonl").write_text("{}")
    (outside / "b.jsonl").write_text("{}")
    (root / "link.jsonl").symlink_to(outside / "b.jsonl")
    with pytest.raises(InputError, match="no import root"):
        allowed_path(str(root / "a.jsonl"), ADMIN)
    monkeypatch.setenv(VARIABLE, str(root))
    assert allowed_path(str(root / "a.jsonl"), ADMIN) == root / "a.jsonl"
    for path in (outside / "b.jsonl", root / ".." / "out" / "b.jsonl", root / "link.jsonl", tmp_path / "inn"):
        with pytest.raises(InputError, match="outside"):
            allowed_path(str(path), ADMIN)
    # What is outside is not told apart from what is not there
    with pytest.raises(InputError, match="outside"):
        allowed_path(str(outside / "nothing"), ADMIN)
    with pytest.raises(InputError, match="nothing at this path"):
        allowed_path(str(root / "nothing"), ADMIN)


def test_only_for_admins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(RagsieveError):
        allowed_path(str(tmp_path), Principal("rob", "approver"))
