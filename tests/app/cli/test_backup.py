"""Backup, restore, compaction and garbage from the command line."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from tests.small_warehouse import CORPUS, Small


def test_a_restored_backup_is_the_same_warehouse(ragsieve: Callable, stocked: Small, tmp_path: Path) -> None:
    done = json.loads(ragsieve("backup", "copy", "--json").stdout)
    assert done["files"] == 2
    assert done["bytes"] > 0
    back = ragsieve("restore", "copy", "again.duckdb", "--json")
    assert back.exit_code == 0, back.output
    for name in ("ragsieve", "again"):
        ragsieve("export", "scores", "--out", f"{name}.jsonl", "--warehouse", f"{name}.duckdb")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "ragsieve.jsonl").read_bytes()
    verified = json.loads(ragsieve("audit", "verify", "--warehouse", "again.duckdb", "--json").stdout)
    assert verified["ok"]


def test_refusals(ragsieve: Callable, stocked: Small, tmp_path: Path) -> None:
    assert ragsieve("backup", "copy").exit_code == 0
    for arguments, said in (
        (("backup", "copy"), "not empty"),
        (("backup", "ragsieve.duckdb.d/mine"), "own folder"),
        (("restore", "copy", "ragsieve.duckdb"), "exists here"),
        (("restore", "nowhere", "new.duckdb"), "no backup"),
    ):
        done = ragsieve(*arguments)
        assert (done.exit_code, said in done.stderr) == (2, True), done.stderr
        assert "Traceback" not in done.output
    database = tmp_path / "copy" / "warehouse.duckdb"
    database.write_bytes(database.read_bytes()[:-1] + b"x")
    damaged = ragsieve("restore", "copy", "new.duckdb")
    assert "has changed" in damaged.stderr
    assert not (tmp_path / "new.duckdb").exists()


def test_compact_keeps_everything(ragsieve: Callable, stocked: Small) -> None:
    before = json.loads(ragsieve("alerts", "--all", "--json").stdout)
    found = json.loads(ragsieve("compact", "--json").stdout)
    assert found["freed"] == found["bytes_before"] - found["bytes_after"]
    assert found["bytes_after"] == stocked.path.stat().st_size
    assert json.loads(ragsieve("alerts", "--all", "--json").stdout) == before


def test_gc_removes_only_what_nobody_needs(ragsieve: Callable, stocked: Small) -> None:
    folder = Path(f"{stocked.path}.d")
    kept = sorted((folder / "embeddings").rglob("*.npy"))
    assert kept
    orphan = kept[0].with_name("0" * 64 + ".npy")
    orphan.write_bytes(b"x" * 100)
    assert json.loads(ragsieve("gc", "--json").stdout)["embeddings"] == 0
    old = time.time() - 7200
    os.utime(orphan, (old, old))
    found = json.loads(ragsieve("gc", "--json").stdout)
    assert (found["embeddings"], found["bytes"]) == (1, 100)
    assert sorted((folder / "embeddings").rglob("*.npy")) == kept


def test_erase_asks_then_leaves_no_text(ragsieve: Callable, stocked: Small, tmp_path: Path) -> None:
    given = ("erase", stocked.hostile_document, "--corpus", CORPUS, "--reason", "ticket-7")
    asked = ragsieve(*given)
    assert (asked.exit_code, "--yes" in asked.stderr) == (2, True)
    done = ragsieve(*given, "--yes", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["versions"] >= 1
    assert any("backups" in place for place in found["remaining"])
    assert json.loads(ragsieve("audit", "verify", "--json").stdout)["ok"]
    assert "no document" in ragsieve("erase", "nobody", "--corpus", CORPUS, "--reason", "x", "--yes").stderr
