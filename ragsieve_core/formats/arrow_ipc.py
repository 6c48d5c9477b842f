"""Arrow IPC: the file format (also Feather V2) and the stream format, batch by batch."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from ragsieve_core.formats.columnar import (
    READ_ERRORS,
    TextMeter,
    check_schema,
    damaged,
    sound,
    take_batch,
    used_columns,
)
from ragsieve_core.formats.ipc_sizes import declared_bytes
from ragsieve_core.formats.mapping import ColumnMapping
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike, open_input
from ragsieve_core.formats.showing import show_path
from ragsieve_core.formats.taking import Taker

if TYPE_CHECKING:
    import pyarrow as pa

FILE_MAGIC = b"ARROW1"
STREAM_MAGIC = b"\xff\xff\xff\xff"
_FILE_START = 8
_STEP = 1000


def _check_sizes(source: BinaryIO, start: int, file: str, stored: int, limits: Limits) -> None:
    """First pass: what every message declares, without decompressing any. The file format holds a stream inside."""
    import pyarrow as pa

    source.seek(start)
    meter = TextMeter(file, stored, limits)
    reader = pa.ipc.MessageReader.open_stream(source)
    while True:
        try:
            message = reader.read_next_message()
        except StopIteration:
            return
        body = memoryview(message.body) if message.body is not None else memoryview(b"")
        meter.give(declared_bytes(message.metadata.to_pybytes(), body))


def _parts(
    source: BinaryIO, mapping: ColumnMapping, file: str, limits: Limits, stored: int
) -> Iterator[pa.RecordBatch]:
    """Sound slices of at most 1,000 rows of the columns worth reading."""
    import pyarrow as pa

    is_file = source.read(len(FILE_MAGIC)) == FILE_MAGIC
    _check_sizes(source, _FILE_START if is_file else 0, file, stored, limits)
    source.seek(0)
    reader = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
    check_schema(reader.schema, mapping, file)
    names = used_columns(reader.schema, mapping)
    batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
    for batch in batches:
        columns = pa.record_batch([sound(batch.column(name)) for name in names], names=names)
        for start in range(0, len(batch), _STEP):
            yield columns.slice(start, _STEP)


def arrow_batches(
    path: PathLike, taker: Taker, *, rows: int, mapping: ColumnMapping, limits: Limits = DEFAULT_LIMITS
) -> Iterator[RecordBatchColumns]:
    """Documents of an Arrow IPC file or stream in batches; line numbers count rows from 1.

    A list column of floats under the name of ``embedding`` gives the vectors.

    Raises
    ------
    InputError : no Arrow data, damaged or cut off, without id or text column, or a zip bomb.
    """
    import pyarrow as pa

    file = show_path(path)
    row = 1
    with open_input(path) as source:
        stored = os.fstat(source.fileno()).st_size
        meter = TextMeter(file, stored, limits)
        parts = _parts(source, mapping, file, limits, stored)
        while True:
            try:
                part = next(parts, None)
            except (pa.ArrowException, struct.error, *READ_ERRORS) as error:
                raise damaged("Arrow", file, error) from None
            if part is None:
                return
            take_batch(part, taker, mapping, file, row, meter)
            row += len(part)
            if taker.pending >= rows:
                yield taker.flush()
