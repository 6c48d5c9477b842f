"""Whatever the bytes: an InputError or rejected records, never another exception, and every record counted."""

from __future__ import annotations

import codecs
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.formats.beir import read_beir_qrels
from ragsieve_core.formats.compression import Limits
from ragsieve_core.formats.contexts import read_contexts
from ragsieve_core.formats.documents import read_documents
from ragsieve_core.formats.duplicates import DuplicateFinder
from ragsieve_core.formats.reading import read_batches, read_records
from ragsieve_core.formats.records import Record
from ragsieve_core.formats.rejected import Rejected
from ragsieve_core.formats.rejects_file import RejectsFile
from ragsieve_core.formats.release import (
    read_attacks,
    read_counterfactuals,
    read_labels,
    read_qrels,
    read_queries,
    read_targets,
)

FUZZ = settings(max_examples=250, deadline=None)
LIMITS = Limits(max_line_bytes=5000)

_LINES = st.sampled_from(
    [
        b'{"id": "a", "text": "one"}',
        b'{"id": "a", "text": "two"}',
        b'{"id": "b", "text": "\xc3\x9f\xe4\xb8\xad", "title": "t", "extra": [1, {"x": null}]}',
        b'{"id": 7, "text": "", "metadata": {"k": 1}, "acl": ["x"]}',
        b'{"id": "c", "text": "\\ud800"}',
        b'{"id": "c", "text": "\\u0000"}',
        b'{"id": "c\\u0000", "text": ""}',
        b'{"id": "d", "id": "e", "text": ""}',
        b'{"id": "f", "text": "' + b"x" * 6000 + b'"}',
        b'{"id": "g", "text": "", "n": 1' + b"0" * 400 + b"}",
        b'{"id": "h", "text": "", "n": 1' + b"0" * 4400 + b"}",
        b'{"id": "i", "text": "", "n": NaN, "m": -Infinity}',
        b'{"id": "j", "text": "", "n": 1e999}',
        b'{"id": "k", "text": "", "x": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"id": "k", "text": "", "x": ' + b"[" * 2400 + b"]" * 2400 + b"}",
        b"[" * 4000,
        b'{"query_id": "q", "query": "w", "condition": "", "documents": [{"id": "a", "rank": 1, "text": ""}]}',
        b'{"embedding": [1, 2], "id": "m", "text": ""}',
        b'{"embedding": [1e400, 2, 3], "id": "m", "text": ""}',
        b"\0",
        b"\xff\xfe",
        b"null",
        b'"a,b"',
        b"a\tb\t1",
        b"id,text",
        b'x,"y',
        b"   ",
        b"",
    ]
)
_ENDS = st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b"\n\r"])
_BODIES = (
    st.binary(max_size=200)
    | st.lists(st.tuples(_LINES | st.binary(max_size=30), _ENDS), max_size=12).map(
        lambda parts: b"".join(line + end for line, end in parts)
    )
)  # fmt: skip
_PACKERS = st.sampled_from(
    [
        lambda body: body,
        lambda body: codecs.BOM_UTF8 + body,
        gzip.compress,
        zstandard.compress,
        lambda body: gzip.compress(body)[:-5],
        lambda body: zstandard.compress(body)[:-1],
        lambda body: codecs.BOM_UTF16_LE + body,
        lambda body: codecs.BOM_UTF32_BE + body,
        lambda body: codecs.BOM_UTF16_BE + body.decode("latin-1").encode("utf-16-be"),
    ]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def _named(error: InputError) -> None:
    assert error.where
    assert error.what


def _check(rows: list[Any]) -> None:
    assert [row.ordinal for row in rows] == list(range(len(rows)))
    for row in rows:
        if isinstance(row, Rejected):
            assert row.reason
            assert row.expected
            assert row.raw.isprintable()
        else:
            json.dumps(row.metadata, allow_nan=False, ensure_ascii=False).encode("utf-8")
            f"{row.id}{row.text}{row.title}{row.source_uri}".encode()
            assert row.id.strip()


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet", "arrow", "text", "attacks", None])
@FUZZ
@given(body=_BODIES, pack=_PACKERS)
def test_ingest_readers(folder: Path, kind: str | None, body: bytes, pack: Callable[[bytes], bytes]) -> None:
    path = folder / "in"
    path.write_bytes(pack(body))
    try:
        rows = list(read_records(path, format=kind, limits=LIMITS))
    except InputError as error:
        _named(error)
        return
    _check(rows)


@FUZZ
@given(body=_BODIES, pack=st.sampled_from([lambda b: b, gzip.compress, zstandard.compress]), size=st.integers(1, 4))
@example(b'{"id": "a", "text": "one"}\n', lambda b: b, 1)
def test_every_line_is_counted(folder: Path, body: bytes, pack: Callable[[bytes], bytes], size: int) -> None:
    if body.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        return
    path = folder / "counted"
    path.write_bytes(pack(body))
    expected = sum(1 for line in body.split(b"\n") if line.strip())
    finder = DuplicateFinder()
    accepted = duplicates = rejected = 0
    rejects = folder / "rejects"
    rejects.unlink(missing_ok=True)
    try:
        with RejectsFile(rejects) as file:
            for batch in read_batches(path, format="jsonl", rows=size, limits=LIMITS):
                found = finder.sort(batch)
                accepted += len(found.keep)
                duplicates += len(found.duplicates)
                refused = batch.rejected + found.conflicts
                rejected += len(refused)
                file.write(refused)
    except InputError as error:
        _named(error)
        accepted = expected * (expected == 0)
    assert accepted + duplicates + rejected == expected
    written = rejects.read_bytes().count(b"\n") if rejects.exists() else 0
    assert written == rejected


@pytest.mark.parametrize(
    "reader",
    [read_queries, read_qrels, read_targets, read_counterfactuals, read_attacks, read_labels, read_beir_qrels],
)
@settings(max_examples=80, deadline=None)
@given(body=_BODIES, pack=_PACKERS)
def test_evaluation_readers(
    folder: Path, reader: Callable[..., Iterator[Any]], body: bytes, pack: Callable[[bytes], bytes]
) -> None:
    path = folder / "rows"
    path.write_bytes(pack(body))
    try:
        for row in reader(path, limits=LIMITS):
            assert not isinstance(row, Rejected) or row.reason
    except InputError as error:
        _named(error)


@pytest.mark.parametrize("reader", [lambda path: read_contexts(path, n=3, k=2), read_documents])
@FUZZ
@given(body=_BODIES, pack=_PACKERS)
def test_strict_readers(
    folder: Path, reader: Callable[[Path], object], body: bytes, pack: Callable[[bytes], bytes]
) -> None:
    path = folder / "strict"
    path.write_bytes(pack(body))
    try:
        reader(path)
    except InputError as error:
        _named(error)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), min_size=1, max_size=4),
    st.sampled_from(["zstd", "none", "snappy"]),
)
def test_changed_parquet(folder: Path, changes: list[tuple[int, int]], codec: Any) -> None:
    path = folder / f"whole.{codec}"
    if not path.exists():
        table = pa.table(
            {"id": [f"d{i}" for i in range(40)], "text": ["one", "two"] * 20, "embedding": [[1.0, 2.0]] * 40}
        )
        pq.write_table(table, path, compression=codec)
    content = bytearray(path.read_bytes())
    for place, value in changes:
        content[place % len(content)] = value
    broken = folder / "broken.parquet"
    broken.write_bytes(content)
    try:
        rows = list(read_records(broken, format="parquet"))
    except InputError as error:
        _named(error)
        return
    _check(rows)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"id": st.text(min_size=1, max_size=8), "text": st.text(max_size=20)},
            optional={"title": st.text(max_size=8), "acl": st.lists(st.text(max_size=3), max_size=2)},
        ),
        min_size=1,
        max_size=8,
    )
)
def test_what_was_written_is_read_or_named(folder: Path, rows: list[dict[str, Any]]) -> None:
    path = folder / "written"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for row, read in zip(rows, read_records(path, format="jsonl"), strict=True):
        if isinstance(read, Record):
            assert (read.id, read.text, read.title) == (row["id"], row["text"], row.get("title", ""))
            assert list(read.acl) == row.get("acl", [])
        else:
            texts = [row["id"], row["text"], row.get("title", ""), *row.get("acl", [])]
            invalid = any("\0" in text or any(0xD800 <= ord(c) < 0xE000 for c in text) for text in texts)
            assert invalid or not row["id"].strip() or any(not c.isprintable() for c in row["id"])
