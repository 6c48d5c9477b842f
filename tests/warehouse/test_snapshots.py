from __future__ import annotations

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats.records import RecordBatchColumns
from tests.warehouse.builders import documents
from warehouse.database import Warehouse
from warehouse.embeddings import add_embeddings
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import EncoderSpec
from warehouse.snapshot_files import read_snapshot_files, write_snapshot_files
from warehouse.snapshots import latest_snapshot, list_snapshots, load_snapshot


def test_members_are_runs(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(10)], principal=me)
    ingest(wh, "c", [RecordBatchColumns(id=["d4"], text=["new"])], principal=me)
    runs = (
        wh.cursor()
        .execute("SELECT first_version, last_version FROM snapshot_members ORDER BY snapshot_id = ?, 1", ["x"])
        .fetchall()
    )
    assert sorted(runs) == [(1, 4), (1, 10), (6, 11)]
    latest = latest_snapshot(wh, "c", principal=me)
    assert latest is not None
    assert (latest.sequence, latest.documents) == (2, 10)
    assert load_snapshot(wh, latest.snapshot_id, principal=me).version_ids.tolist() == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11]


def test_history_names_its_parents(wh: Warehouse, me: Principal) -> None:
    for start in range(3):
        ingest(wh, "c", [documents(1, start=start)], principal=me)
    third, second, first = list_snapshots(wh, "c", principal=me)
    assert [third.parent_id, second.parent_id, first.parent_id] == [second.snapshot_id, first.snapshot_id, None]


def test_two_corpora_share_nothing(wh: Warehouse, me: Principal) -> None:
    one = ingest(wh, "one", [documents(2)], principal=me)
    two = ingest(wh, "two", [documents(3)], principal=me)
    three = ingest(wh, "one", [documents(2, start=2)], principal=me)
    assert one.snapshot != two.snapshot
    assert load_snapshot(wh, str(two.snapshot), principal=me).version_ids.tolist() == [3, 4, 5]
    assert load_snapshot(wh, str(three.snapshot), principal=me).version_ids.tolist() == [1, 2, 6, 7]


def test_titles_and_sources(wh: Warehouse, me: Principal) -> None:
    batch = RecordBatchColumns(
        id=["a", "b"], text=["body", "Head and body"], title=["Head", "Head"], source_uri=["u", "u"], parent=["p", ""]
    )
    loaded = load_snapshot(wh, str(ingest(wh, "c", [batch], principal=me).snapshot), principal=me)
    assert loaded.full_texts() == ["Head\n\nbody", "Head and body"]
    assert loaded.sources == ["p", "u"]
    assert load_snapshot(wh, loaded.snapshot, principal=me, texts=False).texts == []


def test_another_tenants_snapshot_does_not_exist(wh: Warehouse, me: Principal) -> None:
    result = ingest(wh, "c", [documents(2, tenant="b")], principal=me)
    ann = Principal("ann", "reviewer", frozenset({"a"}))
    with pytest.raises(InputError, match="no snapshot"):
        load_snapshot(wh, str(result.snapshot), principal=ann)
    with pytest.raises(InputError, match="no corpus"):
        list_snapshots(wh, "c", principal=ann)
    with pytest.raises(InputError, match="no snapshot"):
        load_snapshot(wh, "snap_nothing", principal=me)


def test_an_export_says_which_vectors_are_missing(wh: Warehouse, me: Principal) -> None:
    """A scanner beside the owner encodes those alone, also where it was killed halfway."""
    snapshot = str(ingest(wh, "c", [documents(4)], principal=me).snapshot)
    versions = load_snapshot(wh, snapshot, principal=me).version_ids
    spec = EncoderSpec("enc", "enc", 2, {})
    for taken, left in (([], [0, 1, 2, 3]), ([1, 3], [0, 2]), ([0, 2], [])):
        if taken:
            matrix = np.ones((len(taken), 2), dtype=np.float32)
            add_embeddings(wh, snapshot, spec, matrix, principal=me, version_ids=versions[taken])
        read = read_snapshot_files(write_snapshot_files(wh, snapshot, principal=me, encoder="enc"))
        assert read.missing.tolist() == left
        assert (read.embeddings is None) == bool(left)
