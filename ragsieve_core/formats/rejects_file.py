"""The rejects file: JSONL, one rejected record a line, written only if there is one."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from ragsieve_core.formats.jsonl_writer import JsonlWriter
from ragsieve_core.formats.rejected import Rejected, safe_raw
from ragsieve_core.formats.safe_open import PathLike


class RejectsFile:
    """Context manager that collects rejected records into ``path``; no file appears if none comes.

    Each line holds ``file``, ``line``, ``field``, ``reason``, ``expected`` and ``raw`` (the beginning of the record,
    made printable, so that the file is safe to look at in a terminal).

    Raises
    ------
    InputError : as :class:`~ragsieve_core.formats.jsonl_writer.JsonlWriter`.
    """

    def __init__(self, path: PathLike) -> None:
        self._path = path
        self._writer: JsonlWriter | None = None
        self.rows = 0

    def write(self, rejected: Iterable[Rejected]) -> None:
        """Append rejected records."""
        for one in rejected:
            if self._writer is None:
                self._writer = JsonlWriter(self._path)
            self._writer.write(
                {
                    "file": safe_raw(one.file),
                    "line": one.line,
                    "field": safe_raw(one.field),
                    "reason": safe_raw(one.reason),
                    "expected": one.expected,
                    "raw": safe_raw(one.raw),
                }
            )
            self.rows += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.__exit__(kind, error, trace)
