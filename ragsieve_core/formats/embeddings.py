"""Embedding matrices from ``.npy`` files, memory-mapped, never unpickled."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.formats.safe_open import PathLike, open_input
from ragsieve_core.formats.showing import show_path

UNIT_TOLERANCE = 1e-6
_BLOCK_ROWS = 8192
_NAMED_ROWS = 5
_SAVE = "save it with numpy.save(file, matrix.astype('float32')), one row a document"


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Unit vectors and how they came to be.

    Attributes
    ----------
    matrix : shape (rows, dimensions), float32, C order, rows of unit length; the file itself, mapped read-only,
        where nothing had to be changed.
    note : what was changed on reading, as one sentence; empty when the file was used bit for bit.
    """

    matrix: NDArray[np.float32]
    note: str = ""


def _header(file: BinaryIO, where: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    def refuse(what: str) -> NoReturn:
        raise InputError(what, where=where, expected="a .npy matrix of float32, float16 or float64", do=_SAVE)

    try:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            refuse(f"is an .npy file of version {version[0]}.{version[1]}")
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(file)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, OverflowError, EOFError) as error:
        if os.fstat(file.fileno()).st_size == 0:
            refuse("the file is empty")
        if "magic" in str(error):
            refuse("is not an .npy file")
        refuse("its .npy header is damaged")
    if dtype.hasobject:
        refuse("holds Python objects, which could run code when read")
    if dtype.kind != "f" or dtype.itemsize not in (2, 4, 8):
        refuse(f"holds {dtype.name} values")
    if fortran:
        raise InputError(
            "is stored column by column (Fortran order)",
            where=where,
            expected="row by row (C order)",
            do="save numpy.ascontiguousarray(matrix)",
        )
    return shape, dtype


def _rows_named(rows: NDArray[np.int64]) -> str:
    named = ", ".join(str(row) for row in rows[:_NAMED_ROWS])
    return f"{len(rows)} row{'s' * (len(rows) != 1)} (counted from 0: {named}{', …' * (len(rows) > _NAMED_ROWS)})"


def _map(path: PathLike, rows: int | None) -> NDArray[Any]:
    where = show_path(path)
    with open_input(path) as file:
        shape, dtype = _header(file, where)
        wanted = f"({rows if rows is not None else 'documents'}, dimensions)"
        fits = len(shape) == 2 and shape[1] >= 1 and shape[0] >= 1 and (rows is None or shape[0] == rows)
        if not fits:
            raise InputError(
                f"the shape is {tuple(shape)}",
                where=where,
                expected=f"{wanted}: one row a document, in their order",
                do="encode exactly these documents, or pass the documents that belong to the matrix",
            )
        offset = file.tell()
        there = os.fstat(file.fileno()).st_size - offset
        needed = math.prod(shape) * dtype.itemsize
        if there < needed:
            raise InputError(
                f"the file is cut off: {there:,} of {needed:,} bytes of the matrix are there",
                where=where,
                expected=f"the whole matrix of shape {tuple(shape)}",
                do="copy or write the file again",
            )
        return np.memmap(file, dtype=dtype, mode="r", offset=offset, shape=shape)


def _lengths(matrix: NDArray[Any], where: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Largest absolute entry of each row, and the length of the row divided by it.

    Kept apart, since squares of float64 entries, and even the length, can overflow although the direction is fine.
    """
    peak = np.empty(len(matrix), dtype=np.float64)
    scaled = np.empty(len(matrix), dtype=np.float64)
    for start in range(0, len(matrix), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        block = matrix[rows].astype(np.float64)
        peak[rows] = np.abs(block).max(axis=1)
        block /= np.where(np.isfinite(peak[rows]) & (peak[rows] > 0), peak[rows], 1.0)[:, None]
        scaled[rows] = np.sqrt(np.einsum("ij,ij->i", block, block))
    bad = np.flatnonzero(~np.isfinite(peak))
    if len(bad):
        raise InputError(
            f"NaN or infinite values in {_rows_named(bad)}",
            where=where,
            expected="finite numbers",
            do="encode these documents again",
        )
    zero = np.flatnonzero(peak == 0)
    if len(zero):
        raise InputError(
            f"only zeros in {_rows_named(zero)}",
            where=where,
            expected="vectors with a direction: cosine is not defined for zero",
            do="encode these documents again, or leave them out of both files",
        )
    return peak, scaled


def read_embeddings(path: PathLike, *, rows: int | None = None, normalise: bool = True) -> Embeddings:
    """Unit embeddings of a corpus, one row a document.

    Rows whose length is 1 within 1e-6 are passed through bit for bit. Other rows are divided by their length in
    float64 and rounded to float32 (cosine does not depend on length), and ``note`` says so. A float32 file that
    needs nothing stays a read-only memory map; anything else becomes an array in memory.

    Parameters
    ----------
    path : ``.npy`` of shape (rows, dimensions), float32, float16 or float64, any byte order, C order.
    rows : how many documents there are; ``None`` takes what is there.
    normalise : ``False`` turns rows that are not of unit length into an error.

    Raises
    ------
    InputError : unreadable or no ``.npy`` file, objects, other types, Fortran order, cut off, wrong shape (both shapes
        named), NaN, infinite or zero rows (the first ones and their number named).
    """
    where = show_path(path)
    stored = _map(path, rows)
    peak, scaled = _lengths(stored, where)
    with np.errstate(over="ignore"):
        lengths = peak * scaled
    off = np.flatnonzero(np.abs(lengths - 1.0) > UNIT_TOLERANCE)
    span = f"{lengths[off].min():.6g} to {lengths[off].max():.6g}" if len(off) else ""
    if len(off) and not normalise:
        raise InputError(
            f"not of unit length: {_rows_named(off)}, lengths {span}",
            where=where,
            expected=f"rows of length 1 within {UNIT_TOLERANCE:g}",
            do="normalise them, or allow normalising on reading",
        )
    native = stored.dtype == np.dtype(np.float32)
    if native and not len(off):
        return Embeddings(stored)
    with np.errstate(over="ignore"):  # rows too long for float32 are among those replaced below
        matrix = stored.astype(np.float32, order="C")
    for start in range(0, len(off), _BLOCK_ROWS):
        some = off[start : start + _BLOCK_ROWS]
        matrix[some] = stored[some].astype(np.float64) / peak[some, None] / scaled[some, None]
    notes = [] if native else [f"converted from {stored.dtype.name} to float32"]
    if len(off):
        notes.append(f"normalised {len(off)} of {len(matrix)} rows to unit length (lengths were {span})")
    return Embeddings(matrix, "; ".join(notes))
