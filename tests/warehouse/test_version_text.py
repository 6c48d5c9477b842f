"""One version by its id: only for those who may see its tenant."""

from __future__ import annotations

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats.records import RecordBatchColumns
from warehouse.database import Warehouse
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.snapshots import latest_snapshot, load_snapshot
from warehouse.version_text import get_version


def test_a_version_is_read_by_its_own_tenant_only(wh: Warehouse, me: Principal) -> None:
    batch = RecordBatchColumns(id=["a"], text=["the text"], title=["T"], tenant=["blue"])
    ingest(wh, "c", [batch], principal=me)
    snapshot = latest_snapshot(wh, "c", principal=me)
    assert snapshot is not None
    version = int(load_snapshot(wh, snapshot.snapshot_id, principal=me).version_ids[0])
    assert get_version(wh, version, principal=Principal("b", "viewer", ("blue",)))["text"] == "the text"
    with pytest.raises(InputError):
        get_version(wh, version, principal=Principal("r", "viewer", ("red",)))
    with pytest.raises(InputError):
        get_version(wh, version + 1, principal=me)
