"""CSV and TSV with a header line, plain, gzip or zstd, quoted as RFC 4180 has it.

Columns are separated by a comma; where the header has none, by a tab or a semicolon if it has one. A line break inside
quotes belongs to the text and is read as ``\\n``.
"""

from __future__ import annotations

import csv
import sys
from collections import deque
from collections.abc import Iterator

from ragsieve_core.errors import InputError
from ragsieve_core.formats.json_line import text_fault
from ragsieve_core.formats.lines import read_lines
from ragsieve_core.formats.mapping import ColumnMapping
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike
from ragsieve_core.formats.showing import show_path, show_value
from ragsieve_core.formats.taking import Taker

_EXPECTED = "a row with as many cells as the header, quoted as RFC 4180 has it"


class _OversizedError(Exception):
    """A line or record is longer than allowed."""


class _Lines:
    """Feeds ``csv.reader`` one record at a time and can give lines back when a quote turns out never to close."""

    def __init__(self, source: Iterator[tuple[int, bytes | None]], longest: int) -> None:
        self._source = source
        self._longest = longest
        self._back: deque[tuple[int, bytes | None]] = deque()
        self.taken: list[tuple[int, bytes | None]] = []
        self._size = 0

    def put_back(self, line: tuple[int, bytes | None]) -> None:
        """Read this line next."""
        self._back.appendleft(line)

    def begin(self) -> None:
        self.taken = []
        self._size = 0

    def give_back(self) -> None:
        """All lines of this record but its first are read again, as records of their own."""
        self._back.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._back.popleft() if self._back else next(self._source)
        self.taken.append(line)
        raw = line[1]
        self._size += len(raw) + 1 if raw is not None else 0
        if raw is None or self._size > self._longest:
            raise _OversizedError
        # Invalid bytes become lone surrogates, which no cell may hold: the record is rejected, not repaired.
        return raw.decode("utf-8", "surrogateescape") + "\n"


def _fault(cells: list[str]) -> str:
    """Why a row cannot be text: bytes that are not UTF-8."""
    return next((reason for cell in cells if not cell.isascii() and (reason := text_fault(cell))), "")


def _header(cells: list[str], mapping: ColumnMapping, file: str, line: int) -> None:
    where = f"{file}:{line}"
    if _fault(cells):
        raise InputError("the header is not UTF-8", where=where, expected="UTF-8, or a byte order mark")
    twice = next((cell for place, cell in enumerate(cells) if cell in cells[:place]), None)
    if twice is not None:
        raise InputError(
            f"the column {show_value(twice)} is named twice", where=where, expected="each column named once"
        )
    found = mapping.resolve(cells)
    for field in ("id", "text"):
        if field not in found:
            names = " or ".join(mapping.names(field))
            there = ", ".join(show_value(cell)[1:-1] for cell in cells[:12])
            raise InputError(
                f"the header has no column {names} (there: {there})",
                where=where,
                expected="a header line that names the columns, with an id and a text",
                do=f"map it: {field}=NAME",
            )


def _reason(error: Exception, limits: Limits) -> str:
    if isinstance(error, _OversizedError):
        return f"the record is longer than {limits.max_line_bytes:,} bytes"
    if "unexpected end of data" in str(error):
        return "a quote that opens here never closes"
    if "new-line" in str(error):
        return "a lone carriage return outside quotes"
    return f"broken quoting: {error}"


def dialect(first: bytes, delimiter: str = "") -> str:
    """Separator of a header line, unless ``delimiter`` names one."""
    if delimiter or b"," in first:
        return delimiter or ","
    return "\t" if b"\t" in first else ";" if b";" in first else ","


def csv_batches(
    path: PathLike,
    taker: Taker,
    *,
    rows: int,
    mapping: ColumnMapping,
    limits: Limits = DEFAULT_LIMITS,
    delimiter: str = "",
) -> Iterator[RecordBatchColumns]:
    """Documents of a CSV file in batches; empty lines are no records.

    A quote that never closes costs the record it stands in: its first line is rejected, the lines after it are read
    again as records.

    Parameters
    ----------
    delimiter : one character; empty decides by the header as the module's text says.

    Raises
    ------
    InputError : the file cannot be read, is empty, or its header lacks an id or a text column or names one twice.
    """
    file = show_path(path)
    csv.field_size_limit(sys.maxsize)  # records are bounded here already, in bytes
    source = read_lines(path, limits)
    first = next(((number, raw) for number, raw in source if raw is None or raw.strip()), None)
    if first is None:
        raise InputError("the file is empty", where=file, expected="a header line and one document a row")
    lines = _Lines(source, limits.max_line_bytes)
    lines.put_back(first)
    separator = dialect(first[1] or b"", delimiter)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        header = next(reader)
    except (csv.Error, _OversizedError) as error:
        reason = _reason(error, limits)
        raise InputError(
            f"the header cannot be read: {reason}", where=f"{file}:{first[0]}", expected=_EXPECTED
        ) from None
    _header(header, mapping, file, first[0])
    while True:
        lines.begin()
        try:
            cells = next(reader)
        except StopIteration:
            break
        except (csv.Error, _OversizedError) as error:
            # Only the first line is surely part of the faulty record; what follows it gets its own chance.
            lines.give_back()
            number, raw = lines.taken[0]
            taker.reject(file, number, "", _reason(error, limits), _EXPECTED, raw)
            reader = csv.reader(lines, delimiter=separator, strict=True)
        else:
            number, raw = lines.taken[0]
            if not cells or (len(lines.taken) == 1 and not (raw or b"").strip()):
                continue
            if _fault(cells):
                taker.reject(file, number, "", "the record is not UTF-8", "UTF-8, or a byte order mark", raw)
            elif len(cells) != len(header):
                reason = f"has {len(cells)} cells, the header {len(header)}"
                taker.reject(file, number, "", reason, _EXPECTED, raw)
            else:
                taker.take(dict(zip(header, cells, strict=True)), file, number, raw)
        if taker.pending >= rows:
            yield taker.flush()
