"""Rows of an Arrow record batch, taken one by one with their text checked as text of other formats is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.formats.mapping import ColumnMapping
from ragsieve_core.formats.safe_open import Limits
from ragsieve_core.formats.showing import show_value
from ragsieve_core.formats.taking import SoundVector, Taker

if TYPE_CHECKING:
    import pyarrow as pa


# What pyarrow raises, besides its own exceptions, on data that is damaged or that it cannot read.
READ_ERRORS = (OSError, ValueError, TypeError, KeyError, IndexError, MemoryError, NotImplementedError)


def damaged(kind: str, file: str, error: Exception) -> InputError:
    """The error for a file of which no part is used."""
    reason = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
    return InputError(
        f"the {kind} data is damaged: {reason}",
        where=file,
        expected=f"a complete {kind} file",
        do="copy or write the file again; nothing of it is used, since what is missing cannot be known",
    )


class TextMeter:
    """Counts the text a compressed columnar file gives, under the limits for compressed files.

    One stored value can stand for millions of rows (dictionary and run-length encoding), so the size of the file
    says nothing about what comes out of it.
    """

    def __init__(self, file: str, stored: int, limits: Limits) -> None:
        self._file = file
        self._stored = stored
        self._limits = limits
        self._given = 0

    def give(self, size: int) -> None:
        """Count ``size`` characters or bytes more; above the limits the file is refused as a zip bomb."""
        self._given += size
        limits = self._limits
        ratio = self._given > limits.ratio_from_bytes and self._given > limits.max_ratio * self._stored
        if ratio or self._given > limits.max_bytes:
            raise InputError(
                f"zip bomb: {self._stored:,} bytes hold {self._given:,} bytes of values and more",
                where=self._file,
                expected=f"at most {limits.max_bytes:,} bytes, and at most {limits.max_ratio:g} times the file",
                do="write the values as plain JSONL if you trust where they come from",
            )


def check_schema(schema: pa.Schema, mapping: ColumnMapping, file: str) -> None:
    """Refuse a file without an id or a text column, or with one name twice.

    Raises
    ------
    InputError : names the columns there are.
    """
    names = list(schema.names)
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise InputError(f"the column {show_value(twice)} is there twice", where=file, expected="each column once")
    found = mapping.resolve(names)
    for field in ("id", "text"):
        if field not in found:
            wanted = " or ".join(mapping.names(field))
            raise InputError(
                f"there is no column {wanted} (there: {', '.join(show_value(name)[1:-1] for name in names[:12])})",
                where=file,
                expected="columns with an id and a text",
                do=f"map it: {field}=NAME",
            )


def vectors_of(array: pa.Array) -> list[NDArray[np.floating[Any]] | None] | None:
    """Rows of a list column of floats as vectors; ``None`` if it is no such column.

    Vectors of one length come as rows of one float32 matrix, where those that are finite and not zero are marked by
    being of that type: :class:`~ragsieve_core.formats.taking.SoundVector` needs no second look.
    """
    import pyarrow as pa

    kind = array.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        return None
    if not pa.types.is_floating(kind.value_type):
        return None
    present = np.asarray(array.is_valid())
    # flatten() leaves the values of null rows out, so the lengths of the others are enough to cut it.
    flat = array.flatten().to_numpy(zero_copy_only=False)
    lengths = np.asarray(array.value_lengths().fill_null(0)).astype(np.int64)
    lengths[~present] = 0
    width = int(lengths.max(initial=0))
    if width and np.all(lengths[present] == width):
        with np.errstate(over="ignore"):
            matrix = flat.reshape(-1, width).astype(np.float32)
        fine = np.isfinite(matrix).all(axis=1) & matrix.any(axis=1)
        rows = iter([row.view(SoundVector) if sure else row for row, sure in zip(matrix, fine.tolist(), strict=True)])
        return [next(rows) if there else None for there in present.tolist()]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    return [
        flat[start:end] if there else None for start, end, there in zip(starts, ends, present.tolist(), strict=True)
    ]


def _values(array: pa.Array) -> list[Any]:
    """Python values; a text that is not UTF-8 or a value Python cannot hold becomes the exception it raised."""
    try:
        return list(array.to_pylist())
    except (UnicodeDecodeError, ValueError, OverflowError, ArithmeticError):
        return [_value(item) for item in array]


def _value(item: pa.Scalar) -> Any:
    try:
        return item.as_py()
    except (UnicodeDecodeError, ValueError, OverflowError, ArithmeticError) as error:
        return error


def _texts(array: pa.Array) -> list[Any]:
    """Values of a column of bytes, which older writers use for text."""
    return [_decoded(value) for value in array.to_pylist()]


def _decoded(value: bytes | None) -> Any:
    try:
        return None if value is None else value.decode("utf-8")
    except UnicodeDecodeError as error:
        return error


def _is_bytes(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _cells(array: pa.Array) -> list[Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        # Each distinct value is made once and shared by its rows; the dictionary may hold far more than these rows use.
        used = array.indices.unique().drop_null()
        values = dict(zip(used.to_pylist(), _cells(array.dictionary.take(used)), strict=True))
        return [None if place is None else values[place] for place in array.indices.to_pylist()]
    return _texts(array) if _is_bytes(array.type) else _values(array)


def sound(array: pa.Array) -> pa.Array:
    """The array once its offsets and indices are known to be in bounds; text that is not UTF-8 comes back as bytes.

    Arrow does not look at either on reading, and a wrong offset would read foreign memory.

    Raises
    ------
    pyarrow.ArrowInvalid : the data is damaged.
    """
    import pyarrow as pa

    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        if "UTF8" not in str(error):
            raise
        if pa.types.is_dictionary(array.type):
            return pa.DictionaryArray.from_arrays(array.indices, sound(array.dictionary), safe=True)
        array = array.view(pa.large_binary() if pa.types.is_large_string(array.type) else pa.binary())
        array.validate(full=True)
    return array


def check_indices(array: pa.DictionaryArray) -> None:
    """Refuse indices that point outside the dictionary; Parquet's decoder passes on whatever the file says.

    Raises
    ------
    IndexError : the data is damaged.
    """
    import pyarrow.compute as pc

    span = pc.min_max(array.indices).as_py()
    if span["min"] is not None and not 0 <= span["min"] <= span["max"] < len(array.dictionary):
        raise IndexError(f"dictionary index {span['max']} of {len(array.dictionary)} values")


def used_columns(schema: pa.Schema, mapping: ColumnMapping) -> list[str]:
    """Columns worth reading: those of a field, and the others that metadata can hold.

    Bytes and lists of floats under no field's name (pictures, further embeddings) are left out.
    """
    import pyarrow as pa

    found = set(mapping.resolve(schema.names).values())

    def holds_text(kind: pa.DataType) -> bool:
        if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
            return not pa.types.is_floating(kind.value_type)
        return not (_is_bytes(kind) or pa.types.is_fixed_size_binary(kind))

    return [column.name for column in schema if column.name in found or holds_text(column.type)]


def take_batch(
    batch: pa.RecordBatch, taker: Taker, mapping: ColumnMapping, file: str, row: int, meter: TextMeter
) -> None:
    """Give all rows of ``batch`` to ``taker``; ``row`` is the number of its first row, from 1.

    Raises
    ------
    InputError : more text than ``meter`` allows.
    """
    names = list(batch.schema.names)
    embedding = mapping.resolve(names).get("embedding", "")
    columns: list[list[Any]] = []
    vectors = None
    for name, array in zip(names, batch.columns, strict=True):
        meter.give(8 * len(array))
        if name == embedding and (vectors := vectors_of(array)) is not None:
            columns.append([None] * len(array))
            meter.give(array.nbytes)
            continue
        values = _cells(array)
        meter.give(sum(len(value) for value in values if isinstance(value, str)))
        columns.append(values)
    for place, cells in enumerate(zip(*columns, strict=True)):
        record = dict(zip(names, cells, strict=True))
        broken = next((name for name, value in record.items() if isinstance(value, Exception)), None)
        if broken is not None:
            reason = "is not UTF-8" if isinstance(record[broken], UnicodeDecodeError) else "cannot be read"
            taker.reject(file, row + place, broken, reason, "a valid value")
            continue
        taker.take(record, file, row + place, None, vectors[place] if vectors is not None else None)
