"""Jobs of the console: real commands in their own process, seen from their folder, interrupted, one at a time."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from app.services import console_jobs
from app.services.console_jobs import Job, cancel, jobs, start
from ragsieve_core.errors import BusyError, InputError, RagsieveError
from warehouse import audit
from warehouse.corpora import list_corpora
from warehouse.database import Warehouse
from warehouse.inbox import InboxWorker
from warehouse.principal import Principal

ADMIN = Principal("ada", "admin")
PATIENCE_S = 90


def ended(wh: Warehouse, job_id: str) -> Job:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        job = next(job for job in jobs(wh) if job.job_id == job_id)
        if job.state != "running":
            return job
        time.sleep(0.1)
    raise AssertionError(f"{job_id} did not end")


def corpus(path: Path, count: int = 3) -> Path:
    lines = [json.dumps({"id": f"d{n}", "text": f"text {n}"}) for n in range(count)]
    path.write_text("\n".join([*lines, '{"id": "", "text": "no id"}']))
    return path


@pytest.fixture
def owner(tmp_path: Path) -> Warehouse:
    with Warehouse.open(tmp_path / "w.duckdb", command="serve") as wh:
        inbox = InboxWorker(wh).start()
        yield wh
        inbox.stop()


def test_a_job_hands_its_result_to_the_owner(owner: Warehouse, tmp_path: Path) -> None:
    job_id = start(
        owner, "ingest", [str(corpus(tmp_path / "c.jsonl")), "--corpus", "c"], what="c.jsonl", principal=ADMIN
    )
    with pytest.raises(BusyError):
        start(owner, "scan", ["--corpus", "c"], what="c", principal=ADMIN)
    job = ended(owner, job_id)
    assert (job.state, job.by, job.kind) == ("rejects", "ada", "ingest")
    assert job.result is not None
    assert (job.result["accepted"], job.result["rejected"]) == (3, 1)
    assert [found.documents for found in list_corpora(owner, principal=ADMIN)] == [3]
    assert audit.actions(owner, principal=ADMIN).count("job_started") == 1


def test_a_failed_job_says_why(owner: Warehouse, tmp_path: Path) -> None:
    job = ended(owner, start(owner, "ingest", [str(tmp_path / "none"), "--corpus", "c"], what="none", principal=ADMIN))
    assert job.state == "failed"
    assert "error:" in job.said
    assert job.result is None


def test_a_cancelled_job_leaves_nothing(owner: Warehouse, tmp_path: Path) -> None:
    # Rows enough to be at work for a while
    job_id = start(
        owner, "ingest", [str(corpus(tmp_path / "c.jsonl", 100_000)), "--corpus", "c"], what="c", principal=ADMIN
    )
    deadline = time.monotonic() + PATIENCE_S
    while not cancel(owner, job_id, principal=ADMIN) and time.monotonic() < deadline:
        time.sleep(0.05)
    job = ended(owner, job_id)
    assert job.state in ("cancelled", "done", "rejects")
    assert not cancel(owner, job_id, principal=ADMIN)
    if job.state == "cancelled":
        assert list_corpora(owner, principal=ADMIN) == []


def test_a_job_whose_end_is_being_written_down_is_not_lost(
    owner: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process is gone before anybody has noted how it ended: a page that looks just then must not say lost."""
    may_write = threading.Event()
    plain = console_jobs._write

    def late(path: Path, values: dict) -> None:
        if path.name == "ended.json":
            assert may_write.wait(PATIENCE_S)
        plain(path, values)

    monkeypatch.setattr(console_jobs, "_write", late)
    job_id = start(owner, "ingest", [str(tmp_path / "none"), "--corpus", "c"], what="none", principal=ADMIN)
    pid = json.loads((owner.side.folder("console") / job_id / "pid.json").read_text())["pid"]
    deadline = time.monotonic() + PATIENCE_S
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [job.state for job in jobs(owner)] == ["running"]
    # Nobody is there to be interrupted, and it is not called cancelled for that
    assert not cancel(owner, job_id, principal=ADMIN)
    may_write.set()
    assert ended(owner, job_id).state == "failed"


def test_a_killed_process_is_lost_and_does_not_block_the_next(owner: Warehouse, tmp_path: Path) -> None:
    job_id = start(owner, "ingest", [str(corpus(tmp_path / "c.jsonl")), "--corpus", "c"], what="c", principal=ADMIN)
    folder = owner.side.folder("console") / job_id
    pid = json.loads((folder / "pid.json").read_text())["pid"]
    os.kill(pid, signal.SIGKILL)
    ended(owner, job_id)
    # As after a crash of the dashboard too: nobody was there to write down how it ended
    (folder / "ended.json").unlink(missing_ok=True)
    assert ended(owner, job_id).state == "lost"
    second = start(owner, "ingest", [str(tmp_path / "c.jsonl"), "--corpus", "c"], what="c", principal=ADMIN)
    assert ended(owner, second).state == "rejects"


def test_roles_and_unknown_jobs(owner: Warehouse) -> None:
    for kind, role in (("ingest", "reviewer"), ("scan", "viewer")):
        with pytest.raises(RagsieveError):
            start(owner, kind, [], what="", principal=Principal("v", role))
    assert jobs(owner) == []
    for name in ("job_none", "../published", ""):
        with pytest.raises(InputError):
            cancel(owner, name, principal=ADMIN)
