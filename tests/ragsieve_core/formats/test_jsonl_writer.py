from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.document import Document
from ragsieve_core.errors import InputError
from ragsieve_core.formats.documents import read_documents
from ragsieve_core.formats.jsonl_writer import JsonlWriter, write_jsonl
from ragsieve_core.formats.reading import read_records
from ragsieve_core.formats.records import Record
from ragsieve_core.formats.safe_open import protect, unprotect

_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.dictionaries(_TEXT, _VALUES, max_size=4), max_size=5))
def test_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> None:
    path = tmp_path_factory.mktemp("out") / "out.jsonl"
    assert write_jsonl(path, rows) == len(rows)
    read = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    assert read == rows


_PLAIN = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=30)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(_PLAIN, _PLAIN, _PLAIN), min_size=2, max_size=6))
def test_documents_come_back_through_both_readers(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("out") / "docs.jsonl"
    documents = [Document(f"d{place}", *parts) for place, parts in enumerate(texts)]
    write_jsonl(path, ({"id": d.id, "text": d.text, "title": d.title, "source": d.source} for d in documents))
    assert read_documents(path) == documents
    records = [r for r in read_records(path) if isinstance(r, Record)]
    assert [Document(r.id, r.text, r.title, r.source_uri) for r in records] == documents


def test_numbers_keep_every_digit(tmp_path: Path) -> None:
    row = {"a": 0.1 + 0.2, "b": np.float32(0.1), "c": np.float64(1 / 3), "d": np.int64(2**53 + 1), "e": np.bool_(True)}
    write_jsonl(tmp_path / "o", [row | {"f": np.arange(2, dtype=np.float32)}])
    text = (tmp_path / "o").read_text()
    assert text == (
        '{"a": 0.30000000000000004, "b": 0.10000000149011612, "c": 0.3333333333333333,'
        ' "d": 9007199254740993, "e": true, "f": [0.0, 1.0]}\n'
    )


def test_text_is_written_as_itself(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "o", [{"t": "ß中\u2028"}])
    assert (tmp_path / "o").read_bytes() == '{"t": "ß中\u2028"}\n'.encode()


def test_an_error_leaves_the_old_file_and_no_trace(tmp_path: Path) -> None:
    target = tmp_path / "o.jsonl"
    target.write_text("old")
    with pytest.raises(TypeError), JsonlWriter(target) as writer:
        writer.write({"a": object()})
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["o.jsonl"]


def test_the_new_file_appears_only_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "o.jsonl"
    with JsonlWriter(target) as writer:
        writer.write({"a": 1})
        assert not target.exists()
    assert target.read_text() == '{"a": 1}\n'
    assert os.listdir(tmp_path) == ["o.jsonl"]


@pytest.mark.parametrize(
    "row",
    [{"a": "\ud800"}, {"\udfff": 1}, {"a": float("nan")}, {"a": 1e999}],
    ids=["surrogate", "surrogate_key", "nan", "infinite"],
)
def test_what_has_no_json_form_is_refused(row: dict[str, Any], tmp_path: Path, error_text: Any) -> None:
    error_text(lambda: write_jsonl(tmp_path / "o", [row]), tmp_path / "o")
    assert os.listdir(tmp_path) == []


def test_unknown_objects_are_a_programming_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="no JSON form"):
        write_jsonl(tmp_path / "o", [{"a": object()}])


def test_targets_that_are_refused(tmp_path: Path, error_text: Any) -> None:
    target = tmp_path / "out"
    (tmp_path / "real").write_text("kept")
    target.symlink_to(tmp_path / "real")
    error_text(lambda: write_jsonl(target, []), target, "symlink")
    target.unlink()
    target.mkdir()
    error_text(lambda: write_jsonl(target, []), target, "folder")
    target.rmdir()
    os.mkfifo(target)
    error_text(lambda: write_jsonl(target, []), target, "fifo")
    target.unlink()
    error_text(lambda: write_jsonl(tmp_path / "none" / "out", []), tmp_path / "none", "no_folder")
    assert (tmp_path / "real").read_text() == "kept"


def test_never_over_a_protected_file(tmp_path: Path, error_text: Any) -> None:
    target = tmp_path / "w.duckdb"
    target.write_text("warehouse")
    protect(target)
    protect(tmp_path / "w.duckdb.wal")
    try:
        error_text(lambda: write_jsonl(target, []), target)
        with pytest.raises(InputError, match="warehouse's own file"):
            write_jsonl(tmp_path / "x" / ".." / "w.duckdb.wal", [])
    finally:
        unprotect(target)
        unprotect(tmp_path / "w.duckdb.wal")
    assert target.read_text() == "warehouse"


def test_a_full_disk_says_so(error_text: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    error_text(lambda: write_jsonl(tmp_path / "o", [{"a": 1}]), tmp_path / "o")
    assert os.listdir(tmp_path) == []
