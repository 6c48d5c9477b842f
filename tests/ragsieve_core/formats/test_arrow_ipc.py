from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats.reading import format_of, read_batches, read_records
from ragsieve_core.formats.records import Record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "in.arrow"


def table(rows: int = 5) -> pa.Table:
    return pa.table(
        {
            "id": [f"d{i}" for i in range(rows)],
            "text": [f"text {i % 3}" for i in range(rows)],
            "title": pa.array([f"t{i % 2}" for i in range(rows)]).dictionary_encode(),
            "embedding": pa.array([[2.0 * i + 1, 2.0 * i + 2] for i in range(rows)], pa.list_(pa.float32(), 2)),
        }
    )


def write(path: Path, data: pa.Table, kind: str, codec: str | None, rows: int | None = 1500) -> None:
    options = pa.ipc.IpcWriteOptions(compression=codec)
    make = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with make(str(path), data.schema, options=options) as writer:
        writer.write_table(data, max_chunksize=rows)


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("codec", [None, "zstd", "lz4"])
def test_reads_what_pyarrow_writes(kind: str, codec: str | None, path: Path) -> None:
    data = table(4000)
    write(path, data, kind, codec)
    assert format_of(path) == "arrow"
    batches = list(read_batches(path, rows=2000))
    assert [i for batch in batches for i in batch.id] == data["id"].to_pylist()
    assert [t for batch in batches for t in batch.title] == data["title"].to_pylist()
    stacked = np.concatenate([batch.embeddings for batch in batches if batch.embeddings is not None])
    np.testing.assert_array_equal(stacked, np.arange(1, 8001, dtype=np.float32).reshape(4000, 2))


def test_feather(path: Path) -> None:
    feather.write_feather(table(), str(path))
    assert len(list(read_records(path))) == 5


def test_text_that_is_not_utf8_is_rejected_alone(path: Path) -> None:
    broken = pa.array([b"a", b"\xff", b"c"], pa.binary()).view(pa.string())
    packed = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), broken)
    write(path, pa.table({"id": ["1", "2", "3"], "text": broken, "title": packed}), "file", None)
    rows = list(read_records(path))
    assert [isinstance(row, Record) for row in rows] == [True, False, True]


def test_a_compressed_bomb_is_refused_before_it_unfolds(path: Path, error_text: Any) -> None:
    data = pa.table({"id": ["a"], "text": ["x" * (1 << 28)]})
    write(path, data, "stream", "zstd")
    del data
    before = pa.total_allocated_bytes()
    error_text(lambda: list(read_records(path)), path)
    assert pa.total_allocated_bytes() - before < 50 << 20


def test_a_run_length_bomb_is_refused(path: Path) -> None:
    rows = 2**31 - 1
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([rows], pa.int32()), pa.array(["x"]))
    write(path, pa.Table.from_arrays([runs, runs], ["id", "text"]), "stream", None, None)
    with pytest.raises(InputError, match="zip bomb"):
        list(read_records(path))


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("codec", [None, "zstd"])
def test_cut_off(kind: str, codec: str | None, path: Path) -> None:
    write(path, table(300), kind, codec)
    whole = path.read_bytes()
    for share in (0.1, 0.3, 0.6, 0.9):
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(InputError):
            list(read_records(path, format="arrow"))


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("codec", [None, "zstd"])
def test_changed_bytes_never_escape(kind: str, codec: str | None, path: Path) -> None:
    write(path, table(50), kind, codec)
    whole = path.read_bytes()
    generator = np.random.default_rng(0)
    for _ in range(300):
        broken = bytearray(whole)
        for place in generator.integers(0, len(whole), 3):
            broken[place] = generator.integers(0, 256)
        path.write_bytes(broken)
        try:
            for row in read_records(path, format="arrow"):
                assert row.line
        except InputError:
            continue


def test_no_id(path: Path, error_text: Any) -> None:
    write(path, pa.table({"name": ["a"], "text": ["b"]}), "file", None)
    error_text(lambda: list(read_records(path)), path)
