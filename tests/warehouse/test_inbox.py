"""The inbox: exactly once, answered, and closed to everything that is no data."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from tests.warehouse.builders import documents, event_of, scan_of
from warehouse import audit
from warehouse.alerts import queue_page
from warehouse.database import Warehouse
from warehouse.errors import RefusedError
from warehouse.inbox import InboxWorker, inbox_principal, read_receipt, submit, sweep, take_bytes, take_in, waiting
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import EncoderSpec
from warehouse.refusals import Refusal
from warehouse.segment_kinds import documents_segment, embeddings_segment, events_segment, scan_segment
from warehouse.segments import SegmentLimits, encode, segment_id
from warehouse.snapshots import latest_snapshot, load_snapshot


def _rows(wh: Warehouse, table: str) -> int:
    return int(wh.cursor().execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])


def test_every_kind_of_data_comes_in(wh: Warehouse, me: Principal) -> None:
    submit(wh.path, documents_segment("c", [documents(3)]))
    (receipt,) = take_in(wh)
    assert (receipt.state, receipt.result["accepted"]) == ("taken", 3)
    snapshot = str(receipt.result["snapshot"])
    versions = load_snapshot(wh, snapshot, principal=me).version_ids
    encoder, matrix = EncoderSpec("enc", "e", 3), np.eye(3, dtype=np.float32)
    for data in (
        embeddings_segment(snapshot, encoder, versions, matrix),
        scan_segment(scan_of(snapshot, versions, {1})),
        events_segment([event_of("q", ["d0", "d1"], {"d0"})]),
    ):
        submit(wh.path, data)
    assert [receipt.state for receipt in take_in(wh)] == ["taken"] * 3
    assert np.array_equal(load_snapshot(wh, snapshot, principal=me, encoder="enc").embeddings, matrix)
    assert {row["detector"] for row in queue_page(wh, principal=me).rows} == {"rsg", "rsq"}
    assert waiting(wh.path) == 0
    assert audit.verify(wh).ok


def test_the_same_bytes_again_change_nothing(wh: Warehouse) -> None:
    data = documents_segment("c", [documents(3)])
    name = submit(wh.path, data)
    take_in(wh)
    first = read_receipt(wh.path, name)
    before = audit.head(wh)
    assert submit(wh.path, data) == name
    take_in(wh)
    assert read_receipt(wh.path, name) == first
    assert audit.head(wh) == before
    assert _rows(wh, "ingest_batches") == 1


def test_a_kill_between_commit_and_receipt_is_answered_at_the_next_start(wh: Warehouse) -> None:
    data = documents_segment("c", [documents(3)])
    take_bytes(wh, data, principal=inbox_principal(0), route="inbox")
    name = submit(wh.path, data)
    assert read_receipt(wh.path, name) is None
    take_in(wh)
    receipt = read_receipt(wh.path, name)
    assert receipt is not None
    assert receipt.result["accepted"] == 3
    assert _rows(wh, "document_versions") == 3


@pytest.mark.parametrize("kind", ["decision", "policy", "role", "token", "quarantine"])
def test_a_forged_change_is_refused_and_audited(wh: Warehouse, me: Principal, kind: str) -> None:
    sound = encode("request", {"want": "snapshot"}, {})
    forged = sound.replace(b'"kind":"request"', b'"kind":"%s"' % kind.encode())
    forged = forged[:19] + (len(forged) - 27).to_bytes(8, "little") + forged[27:]
    name = submit(wh.path, forged)
    (receipt,) = take_in(wh)
    assert (receipt.state, receipt.reason) == ("refused", Refusal.UNKNOWN_KIND)
    assert "decisions, policies" in receipt.message
    (row,) = audit.audit_page(wh, principal=me, action="segment_refused").rows
    assert json.loads(row["payload"])["reason"] == "unknown_kind"
    assert row["object"] == name
    assert _rows(wh, "alert_events") == 0


def test_programs_cannot_decide_even_through_the_python_api(wh: Warehouse, me: Principal) -> None:
    from warehouse.decisions import decide
    from warehouse.holds import hold
    from warehouse.quarantine import propose
    from warehouse.tokens import issue_token

    ingest(wh, "c", [documents(2)], principal=me)
    program = Principal("p", "admin", mode="inbox")
    for call in (
        lambda: decide(wh, "a", 1, principal=program, verdict="keep", reason="benign"),
        lambda: hold(wh, "a", principal=program, hours=1, reason="x"),
        lambda: propose(wh, principal=program, add=["a"]),
        lambda: issue_token(wh, principal=program, name="t", scope="read"),
    ):
        with pytest.raises(RefusedError) as caught:
            call()
        assert caught.value.reason == Refusal.NOT_A_PERSON


def test_other_content_under_a_segments_name_is_refused_by_name(wh: Warehouse, me: Principal) -> None:
    good = documents_segment("c", [documents(3)])
    name = segment_id(good)
    (wh.side.folder("inbox") / f"{name}.segment").write_bytes(documents_segment("c", [documents(9)]))
    (receipt,) = take_in(wh)
    assert (receipt.state, receipt.reason) == ("refused", Refusal.WRONG_HASH)
    assert name in receipt.message
    assert _rows(wh, "document_versions") == 0
    submit(wh.path, good)
    assert [entry.state for entry in take_in(wh)] == ["taken"], "the true bytes are still welcome"


def test_what_is_no_file_of_ours_is_set_aside_unread(wh: Warehouse, me: Principal, tmp_path: Path) -> None:
    folder = wh.side.folder("inbox")
    (tmp_path / "outside").write_bytes(documents_segment("c", [documents(1)]))
    name = "a" * 64
    (folder / f"{name}.segment").symlink_to(tmp_path / "outside")
    os.mkfifo(folder / f"{'b' * 64}.segment")
    os.link(tmp_path / "outside", folder / f"{'c' * 64}.segment")
    (folder / f"{'d' * 64}.segment").symlink_to(wh.path)
    (folder / "readme.txt").write_text("hello")
    (folder / f"{'e' * 64}.segment").mkdir()
    receipts = take_in(wh)
    assert len(receipts) == 6
    assert {receipt.state for receipt in receipts} == {"refused"}
    assert {receipt.reason for receipt in receipts} == {Refusal.WRONG_OWNER, Refusal.BAD_SEGMENT}
    assert list(folder.iterdir()) == []
    assert audit.audit_page(wh, principal=me, action="segment_refused").total == 6
    assert (tmp_path / "outside").exists()
    with Warehouse.open(tmp_path / "other.duckdb", command="x"):
        pass
    assert wh.cursor().execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.skipif(os.getuid() != 0, reason="needs to give a file to another user")
def test_another_users_file_is_refused(wh: Warehouse) -> None:
    name = submit(wh.path, documents_segment("c", [documents(1)]))
    os.chown(wh.side.folder("inbox") / f"{name}.segment", 65534, -1)
    (receipt,) = take_in(wh)
    assert receipt.reason == Refusal.WRONG_OWNER


def test_bad_bytes_and_bad_content_have_receipts(wh: Warehouse, me: Principal) -> None:
    junk = submit(wh.path, b"not a segment")
    stranger = submit(wh.path, scan_segment(scan_of("snap_x", np.array([1, 2]), {0})))
    unsound = submit(wh.path, encode("documents", {"corpus": "c"}, {}))
    take_in(wh)
    reasons = {name: read_receipt(wh.path, name).reason for name in (junk, stranger, unsound)}
    assert reasons == {junk: "bad_segment", stranger: "bad_content", unsound: "bad_segment"}
    assert "no snapshot" in read_receipt(wh.path, stranger).message
    too_big = submit(wh.path, documents_segment("c", [documents(50)]))
    (receipt,) = take_in(wh, limits=SegmentLimits(max_bytes=1000))
    assert receipt.reason == Refusal.TOO_LARGE
    assert read_receipt(wh.path, too_big) is None


def test_what_was_refused_can_be_taken_when_it_fits(wh: Warehouse, me: Principal) -> None:
    import dataclasses

    scan = scan_of("snap_later", np.array([1, 2]), {0})
    data = scan_segment(scan)
    assert take_bytes(wh, data, principal=me, route="inbox").state == "refused"
    snapshot = str(ingest(wh, "c", [documents(2)], principal=me).snapshot)
    data = scan_segment(dataclasses.replace(scan, snapshot=snapshot))
    assert take_bytes(wh, data, principal=me, route="inbox").state == "taken"


def test_the_worker_takes_in_and_stops(wh: Warehouse, me: Principal) -> None:
    worker = InboxWorker(wh, interval_s=0.01).start()
    try:
        names = [submit(wh.path, documents_segment("c", [documents(1, start=number)])) for number in range(5)]
        deadline = time.monotonic() + 30
        while any(read_receipt(wh.path, name) is None for name in names):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        worker.stop()
    assert (worker.taken, worker.refused, worker.problem) == (5, 0, "")
    snapshot = latest_snapshot(wh, "c", principal=me)
    assert snapshot is not None
    assert snapshot.documents == 5


def test_stale_temporaries_are_swept_young_ones_stay(wh: Warehouse) -> None:
    folder = wh.side.folder("tmp")
    for name, age in (("old.tmp", 7200), ("young.tmp", 10)):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (time.time() - age,) * 2)
    assert sweep(wh) == 1
    assert [file.name for file in folder.iterdir()] == ["young.tmp"]


WRITER = """
import sys
from tests.warehouse.builders import documents
from warehouse.inbox import submit
from warehouse.segment_kinds import documents_segment
number = 0
while True:
    print(submit(sys.argv[1], documents_segment("c", [documents(200, start=number * 200)])), flush=True)
    number += 1
"""


def test_a_killed_writer_leaves_whole_segments_only(wh: Warehouse, me: Principal, python) -> None:
    writer = python(WRITER, wh.path)
    acknowledged = [writer.stdout.readline().strip() for _ in range(4)]
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged += writer.communicate()[0].split()
    receipts = {receipt.segment_id: receipt for receipt in take_in(wh)}
    assert {receipt.state for receipt in receipts.values()} == {"taken"}
    assert {name for name in acknowledged if len(name) == 64} <= set(receipts)
    assert _rows(wh, "document_versions") == 200 * len(receipts)
