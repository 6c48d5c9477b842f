"""Arrow tables as files: Parquet, JSON Lines, or CSV that opens harmless in a spreadsheet."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from app.services.safe_csv import csv_lines

Format = Literal["parquet", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)
_ROWS = 10_000


def write_table(table: pa.Table, stream: BinaryIO, kind: Format, origin: Mapping[str, Any]) -> None:
    """Write a table.

    Parameters
    ----------
    kind : ``csv`` neutralises cells that a spreadsheet would run; ``parquet`` and ``jsonl`` keep every value as it is.
    origin : what it was made from; kept in the metadata of a Parquet file under ``ragsieve``.
    """
    if kind == "parquet":
        noted = {**(table.schema.metadata or {}), b"ragsieve": json.dumps(dict(origin), default=str).encode()}
        pq.write_table(table.replace_schema_metadata(noted), stream, compression="zstd")
        return
    if kind == "csv":
        stream.write(csv_lines([table.column_names]))
    for rows in _pieces(table):
        if kind == "csv":
            stream.write(csv_lines([_cell(row[name]) for name in table.column_names] for row in rows))
        else:
            lines = (json.dumps(row, ensure_ascii=False, default=_text) for row in rows)
            # A lone surrogate has no UTF-8 form; JSON can escape it
            stream.write("".join(line + "\n" for line in lines).encode("utf-8", errors="backslashreplace"))


def _pieces(table: pa.Table) -> Iterator[list[dict[str, Any]]]:
    for batch in table.to_batches(max_chunksize=_ROWS):
        yield batch.to_pylist()


def _cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=_text)
    return _text(value) if isinstance(value, date) else value


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


def hand_over(made: Path, out: Path) -> None:
    """Put a finished file where the user wanted it: there whole or not at all, also on another disk."""
    try:
        os.replace(made, out)
    except OSError:
        near = out.with_name(f".{out.name}.{os.getpid()}.part")
        try:
            shutil.copyfile(made, near)
            os.replace(near, out)
        finally:
            near.unlink(missing_ok=True)
            made.unlink(missing_ok=True)
