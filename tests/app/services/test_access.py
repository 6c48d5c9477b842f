"""What others left in the inbox while nobody owned the warehouse."""

from __future__ import annotations

from pathlib import Path

from app.services.access import open_access
from ragsieve_core.formats.records import RecordBatchColumns
from warehouse.database import Warehouse
from warehouse.inbox import submit, waiting
from warehouse.segment_kinds import documents_segment


def test_the_next_command_takes_it_in_first(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    Warehouse.open(path, command="test").close()
    submit(path, documents_segment("c", [RecordBatchColumns(id=["left"], text=["behind"])]))
    assert waiting(path) == 1
    with open_access(path, command="test", say=print) as access:
        assert access.snapshot("c", None, None).ids == ["left"]
    assert waiting(path) == 0
