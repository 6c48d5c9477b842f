"""The audit chain from the command line: whole, tampered with, cut off, and where its head is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest

from tests.small_warehouse import Small


def test_a_whole_chain_is_exit_0_and_says_what_it_cannot_prove(ragsieve: Callable, stocked: Small) -> None:
    done = ragsieve("audit", "verify", "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    with duckdb.connect(str(stocked.path), read_only=True) as connection:
        (rows,) = connection.execute("SELECT count(*) FROM audit_log").fetchone()
    assert (found["ok"], found["rows"], found["broken_at"]) == (True, rows, None)
    assert "tail that was cut off" in found["unproved"]


def test_a_tampered_row_is_exit_1_and_named_by_its_sequence(ragsieve: Callable, stocked: Small) -> None:
    with duckdb.connect(str(stocked.path)) as connection:
        connection.execute("UPDATE audit_log SET actor = 'somebody else' WHERE sequence = 3")
    done = ragsieve("audit", "verify", "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert (found["ok"], found["broken_at"], found["rows"]) == (False, 3, 2)
    assert "row 3" in done.stderr
    plain = ragsieve("audit", "verify")
    assert plain.exit_code == 1
    assert "Traceback" not in plain.output


def test_a_cut_tail_is_seen_only_against_a_head_kept_outside(ragsieve: Callable, stocked: Small) -> None:
    head = json.loads(ragsieve("audit", "head", "--sink", "heads.jsonl", "--json").stdout)
    assert ragsieve("audit", "verify", "--against", "heads.jsonl").exit_code == 0
    with duckdb.connect(str(stocked.path)) as connection:
        connection.execute("DELETE FROM audit_log WHERE sequence = ?", [head["sequence"]])
    assert ragsieve("audit", "verify").exit_code == 0
    done = ragsieve("audit", "verify", "--against", "heads.jsonl", "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["broken_at"] == head["sequence"]
    assert "cut off" in found["problem"]


def test_heads_are_appended(ragsieve: Callable, stocked: Small, tmp_path: Path) -> None:
    ragsieve("audit", "head", "--sink", "heads.jsonl")
    ragsieve("decide", stocked.rsg_alert, "--verdict", "keep", "--reason", "benign", "--expected-version", "1")
    ragsieve("audit", "head", "--sink", "heads.jsonl")
    first, second = map(json.loads, (tmp_path / "heads.jsonl").read_text().splitlines())
    assert second["sequence"] == first["sequence"] + 1
    assert json.loads(ragsieve("audit", "verify", "--against", "heads.jsonl", "--json").stdout)["heads_compared"] == 2


def test_export_holds_every_row(ragsieve: Callable, stocked: Small, tmp_path: Path) -> None:
    rows = json.loads(ragsieve("audit", "export", "--out", "a.jsonl", "--json").stdout)["rows"]
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [line["sequence"] for line in lines] == list(range(1, rows + 1))
    assert all(after["previous_hash"] == before["hash"] for before, after in pairwise(lines))
    ragsieve("audit", "export", "--out", "b.jsonl", "--from", "3")
    assert (tmp_path / "b.jsonl").read_text().splitlines() == (tmp_path / "a.jsonl").read_text().splitlines()[2:]


@pytest.mark.parametrize(
    "target", ["ragsieve.duckdb", "ragsieve.duckdb.lock", "ragsieve.duckdb.wal", "ragsieve.duckdb.d/x", "link", "hard"]
)
def test_no_output_goes_over_the_warehouse(ragsieve: Callable, stocked: Small, tmp_path: Path, target: str) -> None:
    before = stocked.path.read_bytes()
    if target == "link":
        (tmp_path / "link").symlink_to(stocked.path)
    if target == "hard":
        # The lock file stands for any second name of a file: a hard link to the warehouse itself is refused earlier
        (tmp_path / "ragsieve.duckdb.lock").touch()
        (tmp_path / "hard").hardlink_to(tmp_path / "ragsieve.duckdb.lock")
    for command in (("head", "--sink"), ("export", "--out")):
        done = ragsieve("audit", *command, target)
        assert done.exit_code == 2
        assert "belongs to the warehouse" in done.stderr
    assert stocked.path.read_bytes() == before


def test_errors(ragsieve: Callable, stocked: Small, tmp_path: Path) -> None:
    assert "no warehouse here" in ragsieve("audit", "verify", "--warehouse", "other.duckdb").stderr
    assert not (tmp_path / "other.duckdb").exists()
    (tmp_path / "bad.jsonl").write_text('{"sequence": "x"}\n')
    bad = ragsieve("audit", "verify", "--against", "bad.jsonl")
    assert bad.exit_code == 2
    assert "bad.jsonl:1" in bad.stderr
    gone = ragsieve("audit", "export", "--out", "no/such/folder/a.jsonl")
    assert (gone.exit_code, "no such folder" in gone.stderr) == (2, True)
