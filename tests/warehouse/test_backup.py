from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.errors import BusyError, InputError
from ragsieve_core.formats.records import RecordBatchColumns
from tests.warehouse.builders import documents, scan_of
from warehouse import audit
from warehouse.backup import backup, compact, gc, read_manifest, restore
from warehouse.database import Warehouse
from warehouse.embeddings import verify_segments
from warehouse.erasure import erase_document
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import EncoderSpec
from warehouse.scans import record_scan
from warehouse.snapshot_files import read_snapshot_files, write_snapshot_files
from warehouse.snapshots import load_snapshot

ENCODER = EncoderSpec("enc", "e", 3)


def _fill(wh: Warehouse, me: Principal, count: int = 5) -> str:
    matrix = np.random.default_rng(0).standard_normal((count, 3), dtype=np.float32)
    result = ingest(wh, "c", [documents(count)], principal=me, embeddings=matrix, encoder=ENCODER)
    versions = load_snapshot(wh, str(result.snapshot), principal=me).version_ids
    record_scan(wh, scan_of(str(result.snapshot), versions, {1}), principal=me)
    return str(result.snapshot)


def _counts(wh: Warehouse) -> dict[str, int]:
    cursor = wh.cursor()
    names = [row[0] for row in cursor.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()]
    return {name: cursor.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0] for name in names}


def test_a_backup_restores_to_the_same_warehouse(wh: Warehouse, me: Principal, tmp_path: Path) -> None:
    snapshot = _fill(wh, me)
    before, head = _counts(wh), audit.head(wh)
    report = backup(wh, tmp_path / "backup", principal=me)
    assert (report.audit_sequence, report.audit_hash) == (head.sequence, head.hash)
    assert len(report.files) == 2
    restored = restore(tmp_path / "backup", tmp_path / "again.duckdb")
    with Warehouse.open(restored, command="x") as other:
        assert _counts(other) == before
        assert audit.verify(other, against=[head]).ok
        assert verify_segments(other) == []
        loaded, original = (load_snapshot(w, snapshot, principal=me, encoder="enc") for w in (other, wh))
        assert np.array_equal(loaded.embeddings, original.embeddings)
        assert ingest(other, "c", [documents(5)], principal=me).duplicates == 5


def test_a_backup_is_online(wh: Warehouse, me: Principal, tmp_path: Path) -> None:
    _fill(wh, me)
    stop, written = threading.Event(), []

    def write() -> None:
        number = 100
        while not stop.is_set():
            ingest(wh, "c", [documents(20, start=number)], principal=me)
            number += 20
            written.append(number)

    thread = threading.Thread(target=write)
    thread.start()
    while not written:
        time.sleep(0.01)
    report = backup(wh, tmp_path / "backup", principal=me)
    stop.set()
    thread.join()
    with Warehouse.open(restore(report.folder, tmp_path / "again.duckdb"), command="x") as other:
        count = other.cursor().execute("SELECT count(*) FROM document_versions").fetchall()[0][0]
        assert count >= 25
        assert (count - 5) % 20 == 0, "only whole ingests"
        assert audit.verify(other).ok


def test_unsound_backups_are_refused(wh: Warehouse, me: Principal, tmp_path: Path) -> None:
    _fill(wh, me)
    folder = backup(wh, tmp_path / "backup", principal=me).folder
    with pytest.raises(InputError, match="not empty"):
        backup(wh, folder, principal=me)
    Warehouse.open(tmp_path / "there.duckdb", command="x").close()
    with pytest.raises(InputError, match="a warehouse exists"):
        restore(folder, tmp_path / "there.duckdb")
    manifest = json.loads((folder / "manifest.json").read_text())
    name = next(file for file in manifest["files"] if file.endswith(".npy"))
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-1] + b"x")
    with pytest.raises(InputError, match="has changed"):
        restore(folder, tmp_path / "new.duckdb")
    (folder / name).unlink()
    with pytest.raises(InputError, match="is gone"):
        read_manifest(folder)
    manifest["files"] = {"../escape": "x"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="outside its folder"):
        read_manifest(folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(InputError, match="no backup"):
        restore(folder, tmp_path / "new.duckdb")
    assert not (tmp_path / "new.duckdb").exists()


def test_compaction_gives_space_back_and_keeps_everything(tmp_path: Path, me: Principal) -> None:
    path = tmp_path / "w.duckdb"
    with Warehouse.open(path, command="x") as wh:
        _fill(wh, me)
        with wh.transaction() as cursor:
            cursor.execute("CREATE TABLE big AS SELECT i, sha256(i::VARCHAR) AS s FROM range(300000) t(i)")
        wh.checkpoint()
        with wh.transaction() as cursor:
            cursor.execute("DROP TABLE big")
        wh.checkpoint()
        before = _counts(wh)
        with pytest.raises(BusyError):
            compact(path, principal=me)
    done = compact(path, principal=me)
    assert done.after < done.before / 2
    with Warehouse.open(path, command="x") as wh:
        assert _counts(wh) == before | {"audit_log": before["audit_log"] + 1}
        assert audit.verify(wh).ok
        assert wh.cursor().execute("SELECT comment FROM duckdb_views() WHERE view_name = 'documents'").fetchall()


def test_gc_takes_orphans_and_never_a_referenced_file(wh: Warehouse, me: Principal) -> None:
    snapshot = _fill(wh, me)
    export = write_snapshot_files(wh, snapshot, principal=me, encoder="enc")
    (known,) = (wh.side.root / "embeddings").rglob("*.npy")
    orphan = known.with_name("f" * 64 + ".npy")
    orphan.write_bytes(b"x" * 100)
    young = gc(wh, principal=me)
    assert (young.embeddings, young.exports) == (0, 0), "an ingest may be about to register it"
    for file in (known, orphan, export / "manifest.json"):
        os.utime(file, (time.time() - 10**6,) * 2)
    done = gc(wh, principal=me)
    assert (done.embeddings, done.exports) == (1, 2)
    assert known.exists()
    assert not export.exists()
    assert verify_segments(wh) == []
    assert read_snapshot_files(write_snapshot_files(wh, snapshot, principal=me, encoder="enc")).embeddings is not None


def test_erasure_takes_the_text_everywhere_and_keeps_the_chain(wh: Warehouse, me: Principal, tmp_path: Path) -> None:
    from tests.warehouse.builders import event_of
    from warehouse.alerts import queue_page
    from warehouse.events import record_events

    batch = documents(4, word="ordinary")
    batch.text[2] = "Jane Roe lives in Elm Street"
    batch.contributor = ["", "", "jane@example.org", ""]
    matrix = np.random.default_rng(0).standard_normal((4, 3), dtype=np.float32)
    result = ingest(wh, "c", [batch], principal=me, embeddings=matrix, encoder=ENCODER)
    ingest(wh, "c", [RecordBatchColumns(id=["d2"], text=["Jane Roe moved to Oak Lane"])], principal=me)
    event = event_of("q", ["d2", "d1"], {"d2"})
    import dataclasses

    candidates = [dataclasses.replace(event.candidates[0], anchors=[{"token": "jane"}]), event.candidates[1]]
    record_events(wh, [dataclasses.replace(event, candidates=candidates)], principal=me)
    write_snapshot_files(wh, str(result.snapshot), principal=me, encoder="enc")
    alert = queue_page(wh, principal=me).rows[0]["alert_id"]
    done = erase_document(wh, "c", "d2", principal=me, reason="request 17")
    assert (done.versions, done.vectors, done.exports) == (2, 1, 1)
    assert audit.verify(wh).ok
    cursor = wh.cursor()
    for (table,) in cursor.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall():
        text = str(cursor.execute(f"SELECT * FROM {table}").fetchall()).lower()
        assert "jane" not in text, table
        assert "oak lane" not in text, table
    old = load_snapshot(wh, str(result.snapshot), principal=me, encoder="enc")
    assert old.texts[2] == ""
    assert not np.array_equal(old.embeddings[2], matrix[2])
    assert np.array_equal(old.embeddings[[0, 1, 3]], matrix[[0, 1, 3]])
    assert len(list((wh.side.root / "embeddings").rglob("*.npy"))) == 1
    assert verify_segments(wh) == []
    assert load_snapshot(wh, str(done.snapshot), principal=me).ids == ["d0", "d1", "d3"]
    row = next(row for row in queue_page(wh, principal=me).rows if row["alert_id"] == alert)
    assert row["contributor"] == ""
    wh.checkpoint()
    compact_path = wh.path
    wh.close()
    compact(compact_path, principal=me)
    assert b"Jane Roe" not in compact_path.read_bytes()
    with Warehouse.open(compact_path, command="x") as again:
        back = ingest(again, "c", [RecordBatchColumns(id=["d2"], text=["new"])], principal=me)
        assert back.accepted == 1


def test_who_may_erase(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(1, tenant="a"), documents(1, start=1, tenant="b")], principal=me)
    with pytest.raises(InputError):
        erase_document(wh, "c", "d0", principal=Principal("r", "approver"), reason="x")
    with pytest.raises(InputError, match="no document"):
        erase_document(wh, "c", "d1", principal=Principal("a", "admin", frozenset({"a"})), reason="x")
    with pytest.raises(InputError, match="reason"):
        erase_document(wh, "c", "d0", principal=me, reason=" ")
