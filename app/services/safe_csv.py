"""CSV that opens harmless in a spreadsheet: the rule for a cell, and rows as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# What a spreadsheet takes for the start of a formula (OWASP, "CSV Injection"), full-width forms included
_STARTS = frozenset("=+-@\t\r\n＝＋－＠")


def neutral(value: Any) -> Any:
    """A cell that no spreadsheet executes: text that would start a formula gets an apostrophe in front.

    Numbers stay numbers: a negative value is not a formula. NUL is dropped, because readers end the file there.
    """
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value).replace("\0", "")
    bare = text.lstrip(" \u00a0\u200b\ufeff")
    return "'" + text if text[:1] in _STARTS or bare[:1] in _STARTS else text


def csv_lines(rows: Iterable[Sequence[Any]]) -> bytes:
    """Rows as UTF-8 CSV lines, every cell through :func:`neutral`."""
    out = io.StringIO(newline="")
    # CR LF (RFC 4180): Python quotes a cell with a bare CR only if the line end holds one
    writer = csv.writer(out, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerows([neutral(cell) for cell in row] for row in rows)
    # A lone surrogate cannot be encoded; it is written as its escape
    return out.getvalue().encode("utf-8", errors="backslashreplace")


def csv_bytes(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> bytes:
    """UTF-8 CSV with a header, every cell through :func:`neutral`.

    Parameters
    ----------
    rows : records; absent fields are empty cells.
    columns : order of the columns; the keys of the first row where it is not given.
    """
    names = list(columns) if columns is not None else list(rows[0]) if rows else []
    return csv_lines([names, *([row.get(name) for name in names] for row in rows)])
