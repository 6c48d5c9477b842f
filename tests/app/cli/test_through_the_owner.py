"""Commands while another process owns the warehouse: handed over, taken in once, answered by a receipt."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

OWNER = """
import sys
from warehouse.database import Warehouse
from warehouse.inbox import InboxWorker
wh = Warehouse.open(sys.argv[1], command="dashboard")
worker = InboxWorker(wh).start()
print("ready", flush=True)
sys.stdin.read()
worker.stop()
wh.close()
"""


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[subprocess.Popen]:
    """A process that owns the warehouse and takes in what is handed to it, as the dashboard does."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path / "ragsieve.duckdb")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.stdin.close()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = [{"id": f"d{i:02d}", "text": f"note {i} on matter {i * 3}"} for i in range(30)]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    matrix = np.random.default_rng(2).standard_normal((30, 6)).astype(np.float32)
    np.save(tmp_path / "e.npy", matrix / np.linalg.norm(matrix, axis=1, keepdims=True))
    return tmp_path


def test_ingest_and_scan_give_the_same_as_without_an_owner(
    ragsieve: Callable, files: Path, owner: subprocess.Popen, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One core less and a lower priority are for the command's own process, not for the test's
    monkeypatch.setattr("app.services.access.be_considerate", lambda: 1)
    vectors = ("--embeddings", "e.npy", "--encoder", "mine")
    first = ragsieve("ingest", "--corpus", "c", "docs.jsonl", *vectors, "--json")
    assert "working through it" in first.stderr
    counts = json.loads(first.stdout)
    assert (counts["accepted"], counts["embedded"], counts["documents"]) == (30, 30, 30)
    again = json.loads(ragsieve("ingest", "--corpus", "c", "docs.jsonl", "--json").stdout)
    assert (again["accepted"], again["duplicates"], again["snapshot"]) == (0, 30, counts["snapshot"])
    scan = json.loads(ragsieve("scan", "--corpus", "c", "--encoder", "mine", "--json").stdout)
    assert (scan["documents"], scan["already"]) == (30, False)
    second = json.loads(ragsieve("scan", "--corpus", "c", "--encoder", "mine", "--json").stdout)
    assert (second["scan"], second["already"], second["new_alerts"]) == (scan["scan"], True, 0)
    owner.stdin.close()
    owner.wait(timeout=30)
    direct = json.loads(ragsieve("scan", "--corpus", "c", "--encoder", "mine", "--json").stdout)
    assert (direct["scan"], direct["flagged"], direct["already"]) == (scan["scan"], scan["flagged"], True)


def test_a_refusal_of_the_owner_is_an_error_with_its_reason(
    ragsieve: Callable, files: Path, owner: subprocess.Popen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.access.be_considerate", lambda: 1)
    done = ragsieve("scan", "--corpus", "nowhere")
    assert done.exit_code == 2
    assert "the owner refused it" in done.stderr
    assert "nowhere" in done.stderr


def test_rejected_records_keep_their_exit_code(
    ragsieve: Callable, files: Path, owner: subprocess.Popen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.access.be_considerate", lambda: 1)
    (files / "bad.jsonl").write_text('{"id": "x", "text": "good"}\n{"id": 7, "txt": "bad"}\n', encoding="utf-8")
    done = ragsieve("ingest", "--corpus", "c", "bad.jsonl", "--json")
    assert done.exit_code == 1
    counts = json.loads(done.stdout)
    assert (counts["accepted"], counts["rejected"]) == (1, 1)
    assert "rejected bad.jsonl:2" in done.stderr


def test_an_owner_that_dies_is_replaced(ragsieve: Callable, files: Path, owner: subprocess.Popen) -> None:
    """kill -9 of the owner: the next command takes the lock by itself."""
    owner.kill()
    owner.wait(timeout=30)
    done = json.loads(ragsieve("ingest", "--corpus", "c", "docs.jsonl", "--json").stdout)
    assert done["accepted"] == 30


@pytest.mark.models
def test_query_through_the_owner(
    ragsieve: Callable, files: Path, owner: subprocess.Popen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.access.be_considerate", lambda: 1)
    ragsieve("ingest", "--corpus", "c", "docs.jsonl")
    done = ragsieve("query", "--corpus", "c", "what is the note on matter 33?", "--json")
    answer = json.loads(done.stdout)
    assert "a contaminated tail may go unsaid" in done.stderr
    assert len(answer["context"]) == 5
    assert answer["event"].startswith("event_")
