"""A question asked while nobody owns the warehouse sees what other processes left in the inbox."""

from __future__ import annotations

from pathlib import Path

from app.services.owner_jobs import run_job
from ragsieve_core.formats.records import RecordBatchColumns
from warehouse.database import Warehouse
from warehouse.inbox import submit, waiting
from warehouse.segment_kinds import documents_segment


def test_what_waits_in_the_inbox_is_taken_in_first(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    Warehouse.open(path, command="test").close()
    submit(path, documents_segment("left", [RecordBatchColumns(id=["a", "b"], text=["t", "u"])]))
    found = run_job(path, "corpora", {}, command="corpus list", say=lambda text: None)
    assert [(corpus["name"], corpus["documents"]) for corpus in found["corpora"]] == [("left", 2)]
    assert waiting(path) == 0
