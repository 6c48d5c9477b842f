from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.errors import BusyError
from tests.warehouse.builders import documents
from warehouse.database import Warehouse
from warehouse.delivery import be_considerate, deliver, fetch_snapshot
from warehouse.inbox import InboxWorker, waiting
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import EncoderSpec
from warehouse.segment_kinds import documents_segment
from warehouse.snapshots import load_snapshot

OWNER = """
import sys, time
from warehouse.database import Warehouse
from warehouse.inbox import InboxWorker
wh = Warehouse.open(sys.argv[1], command="the dashboard")
worker = InboxWorker(wh, interval_s=0.01)
if sys.argv[2] == "work":
    worker.start()
print("owning", flush=True)
sys.stdin.readline()
worker.stop()
wh.close()
"""


def test_without_an_owner_the_command_does_it_itself(tmp_path: Path) -> None:
    receipt = deliver(tmp_path / "w.duckdb", documents_segment("c", [documents(3)]), command="ingest")
    assert receipt.result["accepted"] == 3
    with Warehouse.open(tmp_path / "w.duckdb", command="x") as wh:
        assert wh.cursor().execute("SELECT count(*) FROM document_versions").fetchall() == [(3,)]


def test_with_an_owner_it_waits_for_the_receipt(tmp_path: Path, python) -> None:
    path = tmp_path / "w.duckdb"
    owner = python(OWNER, path, "work")
    assert owner.stdout.readline() == "owning\n"
    for start in (0, 5):
        receipt = deliver(path, documents_segment("c", [documents(5, start=start)]), command="ingest", wait_s=30)
        assert receipt.result["accepted"] == 5
    assert receipt.result["documents"] == 10


def test_no_receipt_in_time_is_said_and_the_segment_stays(tmp_path: Path, python) -> None:
    path = tmp_path / "w.duckdb"
    owner = python(OWNER, path, "sleep")
    assert owner.stdout.readline() == "owning\n"
    told = []
    with pytest.raises(BusyError, match="the dashboard") as caught:
        deliver(
            path,
            documents_segment("c", [documents(5)]),
            command="ingest",
            wait_s=1.2,
            on_wait=lambda seconds, holder: told.append((seconds, holder.command)),
        )
    assert "stays in the inbox" in str(caught.value)
    assert {command for _, command in told} == {"the dashboard"}
    assert waiting(path) == 1
    owner.communicate("\n", timeout=30)
    with Warehouse.open(path, command="next") as wh:
        worker = InboxWorker(wh, interval_s=0.01).start()
        deadline = time.monotonic() + 30
        while waiting(path) and time.monotonic() < deadline:
            time.sleep(0.02)
        worker.stop()
        assert wh.cursor().execute("SELECT count(*) FROM document_versions").fetchall() == [(5,)]


def test_if_the_owner_dies_the_waiting_command_takes_over(tmp_path: Path, python) -> None:
    path = tmp_path / "w.duckdb"
    owner = python(OWNER, path, "sleep")
    assert owner.stdout.readline() == "owning\n"

    def kill(_seconds: float, _holder: object) -> None:
        os.kill(owner.pid, signal.SIGKILL)
        owner.wait()

    receipt = deliver(path, documents_segment("c", [documents(5)]), command="ingest", wait_s=30, on_wait=kill)
    assert receipt.result["accepted"] == 5


def test_a_snapshot_is_fetched_through_files(tmp_path: Path, python) -> None:
    path = tmp_path / "w.duckdb"
    me = Principal("ada", "admin")
    matrix = np.random.default_rng(0).standard_normal((4, 3), dtype=np.float32)
    with Warehouse.open(path, command="x") as wh:
        result = ingest(wh, "c", [documents(4)], principal=me, embeddings=matrix, encoder=EncoderSpec("enc", "e", 3))
        direct = load_snapshot(wh, str(result.snapshot), principal=me, encoder="enc")
    owner = python(OWNER, path, "work")
    assert owner.stdout.readline() == "owning\n"
    fetched, _ = fetch_snapshot(path, command="scan", corpus="c", encoder="enc", wait_s=30)
    assert fetched is not None
    for name in ("snapshot", "corpus", "ids", "texts", "titles", "sources", "tenants", "content_hashes"):
        assert getattr(fetched, name) == getattr(direct, name), name
    assert np.array_equal(fetched.version_ids, direct.version_ids)
    assert np.array_equal(fetched.embeddings, matrix)
    none, receipt = fetch_snapshot(path, command="scan", corpus="nothing", wait_s=30)
    assert none is None
    assert "no corpus" in receipt.message
    without, _ = fetch_snapshot(path, command="scan", corpus="c", encoder="another", wait_s=30)
    assert without is not None
    assert without.embeddings is None
    assert without.missing.tolist() == [0, 1, 2, 3]


def test_considerate_work_leaves_a_core(python) -> None:
    assert callable(be_considerate)
    code = (
        "import os\nfrom warehouse.delivery import be_considerate\nbefore = len(os.sched_getaffinity(0))\n"
        "print(before, be_considerate(), os.nice(0))"
    )
    before, left, nice = map(int, python(code).communicate(timeout=60)[0].split())
    assert left == max(1, before - 1)
    assert nice >= 10
