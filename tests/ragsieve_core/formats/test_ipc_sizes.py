from __future__ import annotations

import contextlib
import struct
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.formats.ipc_sizes import declared_bytes


def messages(table: pa.Table, codec: str | None) -> list[Any]:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(table)
    return list(pa.ipc.MessageReader.open_stream(sink.getvalue()))


def declared(message: Any) -> int:
    body = memoryview(message.body) if message.body is not None else memoryview(b"")
    return declared_bytes(message.metadata.to_pybytes(), body)


ROWS = 10_000
TABLE = pa.table(
    {
        "text": ["abcdefghij"] * ROWS,
        "number": pa.array(range(ROWS), pa.int32()),
        "list": pa.array([[1.0, 2.0]] * ROWS, pa.list_(pa.float32())),
        "packed": pa.array(["x", "y"] * (ROWS // 2)).dictionary_encode(),
    }
)
# By hand: text 10 bytes a row and offsets, numbers 4, lists two floats and offsets, dictionary indices 4; rows 8 each.
BYTES = ROWS * 10 + 4 * (ROWS + 1) + 4 * ROWS + 8 * ROWS + 4 * (ROWS + 1) + 4 * ROWS + 8 * ROWS


@pytest.mark.parametrize("codec", [None, "zstd", "lz4"])
def test_declared_bytes_are_those_written(codec: str | None) -> None:
    schema, dictionary, batch = messages(TABLE, codec)
    assert declared(schema) == 0
    assert 2 <= declared(dictionary) < 100
    # buffers are padded to 8 or 64 bytes; none of these columns has a validity bitmap to speak of
    assert BYTES <= declared(batch) < BYTES + 7 * 64 + ROWS


@given(st.binary(max_size=200), st.binary(max_size=50))
def test_random_headers_raise_struct_error_only(metadata: bytes, body: bytes) -> None:
    with contextlib.suppress(struct.error):
        assert declared_bytes(metadata, memoryview(body)) >= 0


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_changed_headers_raise_struct_error_only(place: int, value: int) -> None:
    message = messages(TABLE, "zstd")[2]
    metadata = bytearray(message.metadata.to_pybytes())
    metadata[place % len(metadata)] = value
    with contextlib.suppress(struct.error):
        assert declared_bytes(bytes(metadata), memoryview(message.body)) >= 0
