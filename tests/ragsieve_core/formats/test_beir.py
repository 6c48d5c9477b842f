from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.formats.beir import read_beir_qrels
from ragsieve_core.formats.evaluation import Qrel, Query
from ragsieve_core.formats.reading import format_of, read_records
from ragsieve_core.formats.records import Record
from ragsieve_core.formats.rejected import Rejected
from ragsieve_core.formats.release import read_queries


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "scifact"
    (folder / "qrels").mkdir(parents=True)
    rows = [
        {"_id": "4983", "title": "T", "text": "body", "metadata": {"url": "u"}},
        {"_id": "5", "title": "", "text": "b"},
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "queries.jsonl").write_text('{"_id": "0", "text": "why", "metadata": {}}\n{"_id": "1"}\n')
    (folder / "qrels" / "test.tsv").write_bytes(
        b"query-id\tcorpus-id\tscore\r\n0\t4983\t1\r\n\n0\t5\t0\n1\t5\n1\t5\tx\n\xff\t5\t1\n1\t5\t" + b"9" * 30 + b"\n"
    )
    return folder


def test_corpus(folder: Path) -> None:
    assert format_of(folder) == "beir"
    first, second = read_records(folder)
    file = str(folder / "corpus.jsonl")
    assert first == Record("4983", "body", "T", metadata={"url": "u"}, file=file, line=1, ordinal=0)
    assert second == Record("5", "b", file=file, line=2, ordinal=1)


def test_queries(folder: Path) -> None:
    first, second = read_queries(folder / "queries.jsonl")
    assert first == Query("0", "why")
    assert isinstance(second, Rejected)
    assert (second.line, second.field, second.ordinal) == (2, "text", 1)


def test_qrels(folder: Path) -> None:
    rows = list(read_beir_qrels(folder / "qrels" / "test.tsv"))
    assert rows[:2] == [Qrel("0", "4983", 1), Qrel("0", "5", 0)]
    faults = [(r.line, r.field, r.reason, r.ordinal) for r in rows[2:] if isinstance(r, Rejected)]
    assert faults == [
        (5, "", "is no judgment", 2),
        (6, "score", "is no integer", 3),
        (7, "", "is no judgment", 4),
        (8, "score", "is no integer", 5),
    ]


def test_empty_qrels(tmp_path: Path, error_text: Any) -> None:
    (tmp_path / "q.tsv").write_bytes(b"\n")
    error_text(lambda: list(read_beir_qrels(tmp_path / "q.tsv")), tmp_path / "q.tsv")


def test_a_folder_without_corpus(tmp_path: Path, error_text: Any) -> None:
    (tmp_path / "d").mkdir()
    error_text(lambda: list(read_records(tmp_path / "d", format="beir")), tmp_path / "d", "named")
    error_text(lambda: list(read_records(tmp_path / "d")), tmp_path / "d", "found_out")
