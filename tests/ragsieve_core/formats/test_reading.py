from __future__ import annotations

import gzip
import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from ragsieve_core.errors import InputError
from ragsieve_core.formats.reading import format_of, read_batches, read_records
from ragsieve_core.formats.records import Record

LINE = b'{"id": "a", "text": "b"}\n'


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.jsonl", LINE, "jsonl"),
        ("a.ndjson", LINE, "jsonl"),
        ("a.json", LINE, "jsonl"),
        ("a", b"\n\n  " + LINE, "jsonl"),
        ("a", "{}".encode("utf-16"), "jsonl"),
        ("a.jsonl.gz", gzip.compress(LINE), "jsonl"),
        ("a.csv.zst", zstandard.compress(b"id,text\n"), "csv"),
        ("a.csv", b"id,text\n", "csv"),
        ("a.TSV", b"id\ttext\n", "tsv"),
        ("a.txt", b"hello", "text"),
        ("a.md.gz", gzip.compress(b"hello"), "text"),
        ("a.csv", b"PAR1....", "parquet"),
        ("a.jsonl", b"ARROW1\0\0", "arrow"),
        ("a", b"\xff\xff\xff\xff\0\0\0\0", "arrow"),
    ],
    ids=itertools.count(),
)
def test_formats_are_found_out(name: str, content: bytes, expected: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    assert format_of(tmp_path / name) == expected


def test_a_json_list(tmp_path: Path, error_text: Any) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"[\n" + LINE + b"]")
    error_text(lambda: list(read_records(path)), path)


def test_an_unknown_format(tmp_path: Path, error_text: Any) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(b"PK\x03\x04")
    error_text(lambda: list(read_records(path)), path, "found")
    error_text(lambda: list(read_records(path, format="jsnl")), path, "named")


def test_no_document(tmp_path: Path, error_text: Any) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n")
    error_text(lambda: list(read_records(path)), path, "blank_file")
    error_text(lambda: list(read_records([])), path, "no_file")


def test_rows_must_be_positive(tmp_path: Path, error_text: Any) -> None:
    error_text(lambda: list(read_batches(tmp_path / "x", rows=0)), tmp_path / "x")


def test_several_inputs_run_on(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(LINE + b"broken\n")
    (tmp_path / "2.csv").write_text("id,text\nc,d\n")
    pq.write_table(pa.table({"id": ["e"], "text": ["f"]}), tmp_path / "3.parquet")
    (tmp_path / "4").mkdir()
    (tmp_path / "4" / "g.txt").write_text("h")
    paths = [tmp_path / name for name in ("1.jsonl", "2.csv", "3.parquet", "4")]
    rows = list(read_records(paths))
    assert [row.id if isinstance(row, Record) else "-" for row in rows] == ["a", "-", "c", "e", "g.txt"]
    assert [row.ordinal for row in rows] == [0, 1, 2, 3, 4]
    (batch,) = read_batches(paths)
    assert batch.records == 5


def test_a_later_missing_file_is_an_error_of_the_whole(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(LINE)
    with pytest.raises(InputError, match="no such file"):
        list(read_records([tmp_path / "1.jsonl", tmp_path / "2.jsonl"]))


def test_descriptors_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "1.jsonl"
    path.write_bytes(LINE * 1000)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        stream = read_batches(path, rows=10)
        next(stream)
        stream.close()  # type: ignore[attr-defined]
        list(read_records(path))
    assert len(os.listdir("/proc/self/fd")) == before


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, ragsieve_core.formats.reading, ragsieve_core.formats.contexts, ragsieve_core.formats.embeddings\n"
        "heavy = {'pyarrow', 'pandas', 'duckdb', 'streamlit', 'torch', 'zstandard'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
