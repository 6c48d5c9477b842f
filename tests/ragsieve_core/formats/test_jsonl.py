from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats.compression import Limits
from ragsieve_core.formats.reading import read_batches, read_records
from ragsieve_core.formats.records import Record
from ragsieve_core.formats.rejected import Rejected


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "in.jsonl"


def test_bad_lines_go_alone(path: Path) -> None:
    path.write_bytes(
        b'\xef\xbb\xbf{"id": "a", "text": "1"}\r\n'
        b"\n"
        b"{broken\n"
        b'{"id": "b", "text": "caf\xe9"}\n'
        b'{"id": "c", "text": "\\ud800"}\n'
        b"   \n"
        b'{"id": "d", "text": "4"}'
    )
    rows = list(read_records(path))
    assert [row.id if isinstance(row, Record) else (row.line, row.field) for row in rows] == [
        "a",
        (3, ""),
        (4, ""),
        (5, "text"),
        "d",
    ]
    assert [row.ordinal for row in rows] == [0, 1, 2, 3, 4]
    bad = rows[2]
    assert isinstance(bad, Rejected)
    assert bad.raw == '{"id": "b", "text": "caf\\xe9"}'
    assert isinstance(rows[4], Record)
    assert rows[4].line == 7


def test_batches_have_the_size_asked_for(path: Path) -> None:
    path.write_text("".join(json.dumps({"id": i, "text": "x"}) + "\n" for i in range(25)))
    batches = list(read_batches(path, rows=10))
    assert [len(batch) for batch in batches] == [10, 10, 5]
    assert [o for batch in batches for o in batch.ordinal] == list(range(25))


def test_a_line_too_long_is_one_rejected_record(path: Path) -> None:
    path.write_text('{"id": "a", "text": "' + "x" * 100 + '"}\n{"id": "b", "text": ""}\n')
    rows = list(read_records(path, limits=Limits(max_line_bytes=50)))
    assert isinstance(rows[0], Rejected)
    assert rows[0].reason == "the line is longer than 50 bytes"
    assert isinstance(rows[1], Record)


def test_damaged_compression_stops_the_input(path: Path) -> None:
    whole = gzip.compress(b'{"id": "a", "text": "1"}\n' * 1000)
    path.write_bytes(whole[:-10])
    with pytest.raises(InputError, match="gzip data is damaged: it ends early"):
        list(read_records(path))


def test_attack_files_give_their_documents_without_labels(path: Path) -> None:
    attack = {
        "query_id": "q1",
        "query": "who",
        "attack": "pr_b",
        "target_answer": "X",
        "documents": [
            {"id": "p0", "title": "Note", "text": "one", "metadata": {"poison": True}},
            {"id": "p1", "text": "two", "poison": True},
            "three",
            {"id": "p3"},
        ],
    }
    lines = [json.dumps(attack), json.dumps({"query_id": "q2"}), "{", json.dumps({"documents": []})]
    path.write_text("\n".join(lines))
    rows = list(read_records(path, format="attacks"))
    assert rows[0] == Record("p0", "one", "Note", file=str(path), line=1, ordinal=0)
    assert rows[1] == Record("p1", "two", file=str(path), line=1, ordinal=1)
    faults = [(row.line, row.field) for row in rows[2:] if isinstance(row, Rejected)]
    assert faults == [(1, "documents[2]"), (1, "text"), (2, "documents"), (3, ""), (4, "documents")]
