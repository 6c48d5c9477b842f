"""Parquet files, batch by batch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from ragsieve_core.formats.columnar import (
    READ_ERRORS,
    TextMeter,
    check_indices,
    check_schema,
    damaged,
    take_batch,
    used_columns,
)
from ragsieve_core.formats.ipc_sizes import ROW_BYTES
from ragsieve_core.formats.mapping import ColumnMapping
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike, open_input
from ragsieve_core.formats.showing import show_path
from ragsieve_core.formats.taking import Taker

if TYPE_CHECKING:
    import pyarrow as pa

_STEP = 1000


def _check_ratio(metadata: Any, stored: int, limits: Limits, file: str) -> None:
    declared = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    TextMeter(file, stored, limits).give(max(declared, 0) + ROW_BYTES * max(metadata.num_rows, 0))


def _parts(
    source: BinaryIO, mapping: ColumnMapping, file: str, limits: Limits, stored: int
) -> Iterator[pa.RecordBatch]:
    """Batches of at most 1,000 rows of the columns worth reading."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    reader = pq.ParquetFile(source)
    schema = reader.schema_arrow
    check_schema(schema, mapping, file)
    _check_ratio(reader.metadata, stored, limits, file)
    names = used_columns(schema, mapping)
    # As dictionaries, so that one value repeated over all rows is held once.
    texts = [name for name in names if pa.types.is_string(schema.field(name).type)]
    source.seek(0)
    reader = pq.ParquetFile(source, read_dictionary=texts)
    for batch in reader.iter_batches(batch_size=_STEP, columns=names, use_threads=False):
        for column in batch.columns:
            if pa.types.is_dictionary(column.type):
                check_indices(column)
        yield batch


def parquet_batches(
    path: PathLike, taker: Taker, *, rows: int, mapping: ColumnMapping, limits: Limits = DEFAULT_LIMITS
) -> Iterator[RecordBatchColumns]:
    """Documents of a Parquet file in batches; line numbers count rows from 1.

    A list column of floats under the name of ``embedding`` gives the vectors.

    Raises
    ------
    InputError : no Parquet file, damaged, without id or text column, or a zip bomb.
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
            except (pa.ArrowException, *READ_ERRORS) as error:
                raise damaged("Parquet", file, error) from None
            if part is None:
                return
            take_batch(part, taker, mapping, file, row, meter)
            row += len(part)
            if taker.pending >= rows:
                yield taker.flush()
