"""A record that was not taken, and why."""

from __future__ import annotations

from dataclasses import dataclass

from ragsieve_core.errors import InputError

_RAW_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Rejected:
    """One record left out. Row of the rejects file.

    Attributes
    ----------
    file : as the user named it (for a folder: the file inside it).
    line : from 1: the line of a text file (of a CSV record: its first line), the row of a columnar one; 0 when the
        whole file is meant.
    field : name in the file; empty when the whole record is meant.
    reason : one clause, no final full stop.
    expected : what would have been accepted.
    raw : beginning of the record, at most 500 characters, control and invalid characters escaped.
    ordinal : place of the record in the whole input, from 0; -1 where it is not counted.
    """

    file: str
    line: int
    field: str
    reason: str
    expected: str
    raw: str = ""
    ordinal: int = -1

    @property
    def where(self) -> str:
        """``file:line, field x`` without the parts that are not known."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}, field {self.field}" if self.field else place


class RecordError(InputError):
    """A faulty record as an error: the strict readers let it through, the tolerant ones take ``rejected`` from it."""

    def __init__(self, rejected: Rejected, do: str = "correct the record, or remove it") -> None:
        self.rejected = rejected
        super().__init__(rejected.reason, where=rejected.where, expected=rejected.expected, do=do)


def safe_raw(raw: bytes | str | None) -> str:
    """Beginning of a record, printable: invalid UTF-8 as ``\\xNN``, control and surrogate characters as escapes."""
    if raw is None:
        return ""
    text = raw[: 4 * _RAW_LONGEST].decode("utf-8", "backslashreplace") if isinstance(raw, bytes) else raw
    text = text[:_RAW_LONGEST]
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)[:_RAW_LONGEST]
