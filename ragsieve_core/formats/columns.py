"""Names of the columns of an input, for choosing which one holds which field."""

from __future__ import annotations

import csv
import json
from itertools import islice

from ragsieve_core.errors import InputError
from ragsieve_core.formats.csv_table import dialect
from ragsieve_core.formats.lines import read_lines
from ragsieve_core.formats.reading import format_of
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike, open_input
from ragsieve_core.formats.showing import show_path

_LOOKED_AT = 100


def columns_of(path: PathLike, *, limits: Limits = DEFAULT_LIMITS) -> tuple[str, ...]:
    """Columns in the order of the file; for JSON lines the keys of the first 100 lines, in order of appearance.

    Parameters
    ----------
    path : one file of any known format.

    Returns
    -------
    Names; empty for formats that have none (text files).

    Raises
    ------
    InputError : a file that cannot be read, or whose format cannot be told.
    """
    kind = format_of(path, limits)
    if kind in ("csv", "tsv"):
        return _header(path, limits, "\t" if kind == "tsv" else "")
    if kind in ("parquet", "arrow"):
        return _schema(path, kind)
    return _keys(path, limits) if kind == "jsonl" else ()


def _header(path: PathLike, limits: Limits, delimiter: str) -> tuple[str, ...]:
    first = next((line for _, line in read_lines(path, limits) if line is not None and line.strip()), b"")
    return tuple(next(csv.reader([first.decode("utf-8", "replace")], delimiter=dialect(first, delimiter)), []))


def _keys(path: PathLike, limits: Limits) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for _, line in islice(read_lines(path, limits), _LOOKED_AT):
        try:
            record = json.loads(line or b"null")
        except (ValueError, RecursionError):
            # A line that is no JSON is rejected with its number when it is read; here it just has no names
            continue
        if isinstance(record, dict):
            names.update(dict.fromkeys(record))
    return tuple(names)


def _schema(path: PathLike, kind: str) -> tuple[str, ...]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with open_input(path) as source:
        try:
            if kind == "parquet":
                return tuple(pq.ParquetFile(source).schema_arrow.names)
            magic = source.read(6)
            source.seek(0)
            reader = pa.ipc.open_file(source) if magic == b"ARROW1" else pa.ipc.open_stream(source)
            return tuple(reader.schema.names)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise InputError(
                f"the file is damaged: {error}", where=show_path(path), expected=f"a {kind} file"
            ) from None
