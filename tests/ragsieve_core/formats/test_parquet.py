from __future__ import annotations

import datetime
import decimal
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.formats.reading import read_batches, read_records
from ragsieve_core.formats.records import Record
from ragsieve_core.formats.rejected import Rejected


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "in.parquet"


def table(rows: int = 5) -> pa.Table:
    return pa.table({"id": [f"d{i}" for i in range(rows)], "text": [f"text {i % 3}" for i in range(rows)]})


_TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=15)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(_TEXT, st.none() | _TEXT), min_size=1, max_size=10), st.sampled_from(["snappy", "zstd", "none"])
)
def test_agrees_with_pandas(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str | None]], codec: Any
) -> None:
    path = tmp_path_factory.mktemp("pq") / "in"
    frame = pd.DataFrame(
        {"id": range(len(cells)), "text": [c[0] for c in cells], "title": pd.Series([c[1] for c in cells], dtype="str")}
    )
    frame.to_parquet(path, compression=codec)
    again = pd.read_parquet(path)
    expected = [(str(row.id), row.text, row.title if isinstance(row.title, str) else "") for row in again.itertuples()]
    assert [(r.id, r.text, r.title) for r in read_records(path) if isinstance(r, Record)] == expected


def test_every_kind_of_column(path: Path) -> None:
    day = datetime.date(2024, 2, 29)
    moment = datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.UTC)
    columns = {
        "document_id": pa.array([1, 2**62]),
        "text": pa.array(["a", "b"], pa.large_string()),
        "title": pa.array(["T", "T"]).dictionary_encode(),
        "source": pa.array([b"https://x", None], pa.binary()),
        "acl": pa.array([["s", "t"], None]),
        "metadata": pa.array([{"k": 1, "l": None}, None]),
        "day": pa.array([day, None]),
        "when": pa.array([moment, None]),
        "price": pa.array([decimal.Decimal("1.10"), None]),
        "score": pa.array([float("nan"), 0.5]),
        "picture": pa.array([b"\xff\xfe", b""], pa.binary()),
        "other_vector": pa.array([[0.5], [0.25]]),
        "embedding": pa.array([[0.5, 1.0], None], pa.list_(pa.float32())),
    }
    pq.write_table(pa.table(columns), path)
    first, second = read_records(path)
    assert isinstance(first, Record)
    assert first.embedding is not None
    assert first.embedding.tolist() == [0.5, 1.0]
    assert first == Record(
        "1", "a", "T", "https://x", acl=("s", "t"), embedding=first.embedding, file=str(path), line=1, ordinal=0,
        metadata={"k": 1, "l": None, "day": "2024-02-29", "when": "2024-02-29T12:30:00+00:00", "price": "1.10"},
    )  # fmt: skip
    assert second == Record(str(2**62), "b", "T", metadata={"score": 0.5}, file=str(path), line=2, ordinal=1)


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float64()), pa.large_list(pa.float32()), pa.list_(pa.float32(), 3), pa.list_(pa.float16())]
)
def test_vectors(kind: pa.DataType, path: Path) -> None:
    vectors: list[Any] = [[1.0, 2.0, 3.0], None, [4.0, 5.0, 6.0], [0.0, 0.0, 0.0], [1.0, None, 2.0]]
    pq.write_table(table().append_column("embedding", pa.array(vectors, kind)), path)
    (batch,) = read_batches(path)
    assert batch.id == ["d0", "d1", "d2"]
    assert batch.embeddings is not None
    assert batch.embeddings.dtype == np.float32
    np.testing.assert_array_equal(batch.embeddings, [[1, 2, 3], [np.nan] * 3, [4, 5, 6]])
    assert [(r.line, r.reason) for r in batch.rejected] == [
        (4, "holds only zeros"),
        (5, "holds NaN, null or an infinite value"),
    ]


def test_ragged_vectors_are_rejected_alone(path: Path) -> None:
    pq.write_table(table(3).append_column("embedding", pa.array([[1.0, 2.0], [1.0], [3.0, 4.0]])), path)
    rows = list(read_records(path))
    assert [isinstance(row, Record) for row in rows] == [True, False, True]


def test_text_that_is_not_utf8_is_rejected_alone(path: Path) -> None:
    broken = pa.array([b"a", b"\xff", b"\xed\xa0\x80", b"d"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"id": ["1", "2", "3", "4"], "text": broken}), path)
    rows = list(read_records(path))
    assert [row.id if isinstance(row, Record) else (row.line, row.field, row.reason) for row in rows] == [
        "1",
        (2, "text", "is not UTF-8"),
        (3, "text", "is not UTF-8"),
        "4",
    ]


def test_nulls_are_rejected_and_rows_run_on(path: Path) -> None:
    pq.write_table(pa.table({"id": ["a", None, "c"], "text": ["x", "y", None]}), path, row_group_size=1)
    rows = list(read_records(path))
    assert [(r.line, r.field) for r in rows if isinstance(r, Rejected)] == [(2, "id"), (3, "text")]


def test_many_rows_in_batches(path: Path) -> None:
    pq.write_table(table(12_345), path, row_group_size=5000)
    batches = list(read_batches(path, rows=4000))
    assert sum(len(batch) for batch in batches) == 12_345
    assert [n for batch in batches for n in batch.line] == list(range(1, 12_346))
    assert max(len(batch) for batch in batches) <= 5000


def test_one_huge_value_repeated_is_a_zip_bomb(path: Path, error_text: Any) -> None:
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(500_000, dtype=np.int32)), pa.array(["x" * 1_000_000]))
    ids = pa.array([str(i) for i in range(500_000)])
    pq.write_table(pa.table({"id": ids, "text": text}), path, compression="zstd")
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="zip bomb"):
            list(read_batches(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200 << 20


BAD = {
    "no_id": pa.table({"name": ["a"], "text": ["b"]}),
    "no_text": pa.table({"id": ["a"], "body": ["b"]}),
    "named_twice": pa.Table.from_arrays([pa.array(["a"])] * 3, ["id", "text", "text"]),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_schema(name: str, path: Path, error_text: Any) -> None:
    pq.write_table(BAD[name], path)
    error_text(lambda: list(read_records(path)), path)


@pytest.mark.parametrize("name", ["magic_only", "cut", "no_parquet"])
def test_damaged(name: str, path: Path) -> None:
    pq.write_table(table(), path)
    whole = path.read_bytes()
    path.write_bytes({"magic_only": b"PAR1", "cut": whole[:-20], "no_parquet": b"text"}[name])
    with pytest.raises(InputError, match="the Parquet data is damaged"):
        list(read_records(path, format="parquet"))
