from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ragsieve_core.formats.reading import read_batches
from ragsieve_core.formats.rejected import Rejected, safe_raw
from ragsieve_core.formats.rejects_file import RejectsFile


def test_rows_read_back(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(b'{"id": "a"}\n{"id": "b", "text": "\x1b[31m\xff"}\n' + b'{"x": "' + b"y" * 2000 + b'"}\n')
    target = tmp_path / "out.rejects.jsonl"
    with RejectsFile(target) as rejects:
        for batch in read_batches(source):
            rejects.write(batch.rejected)
        assert not target.exists()
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert rejects.rows == 3
    assert [list(row) for row in rows] == [["file", "line", "field", "reason", "expected", "raw"]] * 3
    assert [(row["line"], row["field"]) for row in rows] == [(1, "text"), (2, ""), (3, "id")]
    assert rows[1]["raw"] == '{"id": "b", "text": "\\x1b[31m\\xff"}'
    assert len(rows[2]["raw"]) == 500
    assert target.read_text().replace("\n", "").isprintable()


def test_no_reject_no_file(tmp_path: Path) -> None:
    with RejectsFile(tmp_path / "r") as rejects:
        rejects.write([])
    assert os.listdir(tmp_path) == []


def test_an_error_leaves_no_half_file(tmp_path: Path) -> None:
    rejects = RejectsFile(tmp_path / "r")
    with pytest.raises(ZeroDivisionError), rejects:
        rejects.write([Rejected("f", 1, "", "r", "e")] * (1 // rejects.rows))
    with pytest.raises(ZeroDivisionError), rejects:
        _write_and_fail(rejects)
    assert os.listdir(tmp_path) == []


def _write_and_fail(rejects: RejectsFile) -> None:
    rejects.write([Rejected("f", 1, "", "r", "e")])
    raise ZeroDivisionError


def test_hostile_parts_are_escaped(tmp_path: Path) -> None:
    with RejectsFile(tmp_path / "r") as rejects:
        rejects.write([Rejected("a\ud800\n", 1, "\u202e", "r\x07", "e", "\udfff")])
    (row,) = [json.loads(line) for line in (tmp_path / "r").read_text().splitlines()]
    assert (row["file"], row["field"], row["reason"], row["raw"]) == ("a\\ud800\\n", "\\u202e", "r\\x07", "\\udfff")


def test_safe_raw() -> None:
    assert safe_raw(None) == ""
    assert safe_raw(b"caf\xe9 \xc3\xa9") == "caf\\xe9 é"
    assert len(safe_raw("\0" * 1000)) == 500
