"""Counts, versions and tombstones of ingests small enough to follow by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragsieve_core.document import content_hash
from ragsieve_core.errors import InputError
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.rejected import Rejected
from tests.warehouse.builders import documents
from warehouse import audit
from warehouse.database import Warehouse
from warehouse.errors import PermissionRefusedError
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import EncoderSpec
from warehouse.snapshots import list_snapshots, load_snapshot

ENCODER = EncoderSpec("enc-1", "small", 2, {"pooling": "mean"})


def test_the_same_input_again_adds_nothing(wh: Warehouse, me: Principal) -> None:
    first = ingest(wh, "c", [documents(3), documents(2, start=3)], principal=me)
    again = ingest(wh, "c", [documents(5)], principal=me)
    assert (first.accepted, first.duplicates, first.rejected) == (5, 0, 0)
    assert (again.accepted, again.duplicates, again.rejected) == (0, 5, 0)
    assert first.snapshot == again.snapshot
    assert again.documents == 5
    assert len(list_snapshots(wh, "c", principal=me)) == 1


def test_changed_text_is_a_new_version_and_the_old_snapshot_stays(wh: Warehouse, me: Principal) -> None:
    first = ingest(wh, "c", [documents(3)], principal=me)
    changed = RecordBatchColumns(id=["d1"], text=["another text"])
    second = ingest(wh, "c", [changed], principal=me)
    assert (second.accepted, second.documents) == (1, 3)
    old, new = (load_snapshot(wh, str(result.snapshot), principal=me) for result in (first, second))
    assert old.texts == ["text 0", "text 1", "text 2"]
    assert sorted(zip(new.ids, new.texts, strict=True)) == [("d0", "text 0"), ("d1", "another text"), ("d2", "text 2")]
    assert new.content_hashes[new.ids.index("d1")] == content_hash("another text")
    found = (
        wh.cursor().execute("SELECT version_no FROM document_versions WHERE document_id = 'd1' ORDER BY 1").fetchall()
    )
    assert found == [(1,), (2,)]


def test_changed_provenance_is_a_new_version_of_the_same_text(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [RecordBatchColumns(id=["a"], text=["t"], contributor=["ann"])], principal=me)
    result = ingest(wh, "c", [RecordBatchColumns(id=["a"], text=["t"], contributor=["bob"])], principal=me)
    assert (result.accepted, result.documents) == (1, 1)
    hashes = wh.cursor().execute("SELECT count(DISTINCT content_hash), count(*) FROM document_versions").fetchall()
    assert hashes == [(1, 2)]


@pytest.mark.parametrize("field", ["batch"])
def test_another_delivery_is_no_change(wh: Warehouse, me: Principal, field: str) -> None:
    ingest(wh, "c", [RecordBatchColumns(id=["a"], text=["t"], **{field: ["monday"]})], principal=me)
    result = ingest(wh, "c", [RecordBatchColumns(id=["a"], text=["t"], **{field: ["tuesday"]})], principal=me)
    assert (result.accepted, result.duplicates) == (0, 1)


def test_one_id_twice_in_one_input(wh: Warehouse, me: Principal) -> None:
    batch = RecordBatchColumns(
        id=["a", "b", "a", "a"], text=["x", "y", "x", "other"], line=[1, 2, 3, 4], file=["f"] * 4
    )
    result = ingest(wh, "c", [batch], principal=me)
    assert (result.accepted, result.duplicates, result.rejected) == (2, 1, 1)
    (reject,) = result.rejects
    assert (reject.file, reject.line, reject.field) == ("f", 4, "id")
    assert "record 1" in reject.reason
    assert result.rejects_file is not None
    (line,) = result.rejects_file.read_text().splitlines()
    assert json.loads(line)["line"] == 4


def test_bad_records_are_rejected_alone(wh: Warehouse, me: Principal) -> None:
    batch = RecordBatchColumns(
        id=["ok", "lone", "", "meta", "zero"],
        text=["t", "bad \ud800", "t", "t", "nul \0 inside"],
        metadata=["", "", "", "[1]", ""],
    )
    result = ingest(wh, "c", [batch], principal=me)
    assert (result.accepted, result.duplicates, result.rejected) == (2, 0, 3)
    assert [reject.ordinal for reject in result.rejects] == [1, 2, 3]
    snapshot = load_snapshot(wh, str(result.snapshot), principal=me)
    assert dict(zip(snapshot.ids, snapshot.texts, strict=True)) == {"ok": "t", "zero": "nul \0 inside"}


def test_what_the_reader_rejected_counts(wh: Warehouse, me: Principal) -> None:
    batch = documents(2)
    batch.rejected.append(Rejected("f", 3, "text", "is null", "a string", "", 2))
    result = ingest(wh, "c", [batch], principal=me)
    assert (result.accepted, result.rejected, result.records) == (2, 1, 3)


def test_full_ingest_tombstones_what_is_gone_and_brings_it_back(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(4)], principal=me)
    result = ingest(wh, "c", [documents(2)], principal=me, full=True)
    assert (result.accepted, result.duplicates, result.tombstoned, result.documents) == (0, 2, 2, 2)
    back = ingest(wh, "c", [documents(1, start=3)], principal=me)
    assert (back.accepted, back.documents) == (1, 3)
    emptied = ingest(wh, "c", [], principal=me, full=True)
    assert (emptied.tombstoned, emptied.documents) == (3, 0)


def test_full_ingest_with_rejects_tombstones_nothing(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(4)], principal=me)
    result = ingest(wh, "c", [RecordBatchColumns(id=["d0", ""], text=["text 0", "t"])], principal=me, full=True)
    assert (result.tombstoned, result.full_refused, result.documents) == (0, True, 4)


def test_vectors_follow_their_records(wh: Warehouse, me: Principal) -> None:
    batch = RecordBatchColumns(id=["a", "", "b", "a"], text=["1", "x", "2", "1"])
    matrix = np.arange(1, 9, dtype=np.float32).reshape(4, 2)
    result = ingest(wh, "c", [batch], principal=me, embeddings=matrix, encoder=ENCODER)
    assert (result.accepted, result.duplicates, result.rejected, result.embedded) == (2, 1, 1, 2)
    loaded = load_snapshot(wh, str(result.snapshot), principal=me, encoder="enc-1")
    assert loaded.embeddings is not None
    assert loaded.embeddings.tolist() == [[1.0, 2.0], [5.0, 6.0]]


def test_vectors_of_the_batches_with_gaps(wh: Warehouse, me: Principal) -> None:
    batch = documents(3)
    batch.embeddings = np.array([[1, 0], [np.nan, np.nan], [0, 1]], dtype=np.float32)
    result = ingest(wh, "c", [batch], principal=me, encoder=ENCODER)
    loaded = load_snapshot(wh, str(result.snapshot), principal=me, encoder="enc-1")
    assert loaded.embeddings is None
    assert loaded.missing.tolist() == [1]
    again = documents(3)
    again.embeddings = np.array([[9, 9], [0.5, 0.5], [9, 9]], dtype=np.float32)
    second = ingest(wh, "c", [again], principal=me, encoder=ENCODER)
    assert (second.accepted, second.embedded) == (0, 1)
    loaded = load_snapshot(wh, str(result.snapshot), principal=me, encoder="enc-1")
    assert loaded.embeddings is not None
    assert loaded.embeddings.tolist() == [[1, 0], [0.5, 0.5], [0, 1]]


@pytest.mark.parametrize(
    "matrix",
    [
        np.ones((2, 2), dtype=np.float32),
        np.ones((3, 3), dtype=np.float32),
        np.ones(3, dtype=np.float32),
        np.ones((3, 2), dtype=np.int64),
        np.array([[1, 1], [0, 0], [1, 1]], dtype=np.float32),
        np.array([[1, 1], [1, np.nan], [1, 1]], dtype=np.float32),
        np.array([[1, 1], [1, np.inf], [1, 1]], dtype=np.float32),
    ],
)
def test_vectors_that_do_not_fit_change_nothing(wh: Warehouse, me: Principal, matrix: np.ndarray) -> None:
    with pytest.raises(InputError):
        ingest(wh, "c", [documents(3)], principal=me, embeddings=matrix, encoder=ENCODER)
    assert wh.cursor().execute("SELECT count(*) FROM document_versions").fetchall() == [(0,)]
    assert audit.head(wh).sequence == 0


def test_vectors_need_their_encoder(wh: Warehouse, me: Principal) -> None:
    with pytest.raises(InputError, match="encoder"):
        ingest(wh, "c", [documents(1)], principal=me, embeddings=np.ones((1, 2)))
    ingest(wh, "c", [documents(1)], principal=me, embeddings=np.ones((1, 2)), encoder=ENCODER)
    with pytest.raises(InputError, match="not 3"):
        ingest(wh, "c", [documents(1)], principal=me, embeddings=np.ones((1, 3)), encoder=EncoderSpec("enc-1", "s", 3))


def test_an_input_that_breaks_off_leaves_nothing(wh: Warehouse, me: Principal) -> None:
    def broken():
        yield documents(3)
        raise OSError("the disk went away")

    with pytest.raises(OSError, match="went away"):
        ingest(wh, "c", broken(), principal=me)
    assert wh.cursor().execute("SELECT count(*) FROM document_versions").fetchall() == [(0,)]
    assert ingest(wh, "c", [documents(3)], principal=me).accepted == 3


def test_tenants_do_not_touch_each_others_documents(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(3, tenant="b")], principal=me)
    ann = Principal("ann", "reviewer", frozenset({"a"}))
    batch = RecordBatchColumns(id=["d0", "mine", "forged"], text=["t", "t", "t"], tenant=["", "", "b"])
    result = ingest(wh, "c", [batch], principal=ann)
    assert (result.accepted, result.rejected) == (1, 2)
    assert load_snapshot(wh, str(result.snapshot), principal=ann).ids == ["mine"]
    assert load_snapshot(wh, str(result.snapshot), principal=me).texts[:3] == ["text 0", "text 1", "text 2"]
    ended = ingest(wh, "c", [documents(1, start=50)], principal=ann, full=True)
    assert ended.tombstoned == 1, "only her own"


def test_viewers_do_not_ingest(wh: Warehouse) -> None:
    with pytest.raises(PermissionRefusedError):
        ingest(wh, "c", [documents(1)], principal=Principal("v", "viewer"))


def test_the_audit_row_holds_counts_and_no_text(wh: Warehouse, me: Principal) -> None:
    result = ingest(wh, "c", [documents(2, word="confidential")], principal=me)
    (row,) = audit.audit_page(wh, principal=me, object_id=result.batch).rows
    payload = json.loads(row["payload"])
    assert (payload["accepted"], payload["duplicates"], payload["snapshot"]) == (2, 0, result.snapshot)
    everything = wh.cursor().execute("SELECT string_agg(payload, '') FROM audit_log").fetchall()[0][0]
    assert "confidential" not in everything
    assert content_hash("confidential 0") not in everything


_IDS = st.sampled_from(["a", "b", "c", "", "\ud800", "d" * 2000])
_RECORD = st.tuples(
    _IDS, st.sampled_from(["one", "two", "bad \udfff", ""]), st.sampled_from(["", "{}", "[]", '{"k":1}', "{"])
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(inputs=st.lists(st.lists(_RECORD, max_size=8), min_size=1, max_size=4))
def test_every_record_is_counted_once(tmp_path_factory: pytest.TempPathFactory, inputs: list) -> None:
    folder: Path = tmp_path_factory.mktemp("ingest")
    me = Principal("ada", "admin")
    with Warehouse.open(folder / "w.duckdb", command="pytest") as wh:
        for records in inputs:
            columns = [list(column) for column in zip(*records, strict=True)] or [[], [], []]

            def batch(columns: list = columns) -> RecordBatchColumns:
                return RecordBatchColumns(id=list(columns[0]), text=list(columns[1]), metadata=list(columns[2]))

            result = ingest(wh, "c", [batch()], principal=me)
            assert result.accepted + result.duplicates + result.rejected == len(records)
            again = ingest(wh, "c", [batch()], principal=me)
            assert again.accepted == 0
            assert again.rejected == result.rejected
            assert again.snapshot == result.snapshot
            kept = load_snapshot(wh, result.snapshot, principal=me).ids if result.snapshot else []
            assert len(set(kept)) == len(kept) == result.documents
        assert audit.verify(wh).ok
