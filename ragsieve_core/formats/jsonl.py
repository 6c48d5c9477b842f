"""JSONL: one JSON object a line, plain, gzip or zstd."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ragsieve_core.formats.json_line import EXPECTED_OBJECT, LineError, parse_object
from ragsieve_core.formats.lines import read_lines
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.rejected import RecordError, Rejected, safe_raw
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike
from ragsieve_core.formats.showing import show_path, show_value
from ragsieve_core.formats.strict import Fields
from ragsieve_core.formats.taking import Taker


def jsonl_batches(
    path: PathLike, taker: Taker, *, rows: int, limits: Limits = DEFAULT_LIMITS, name: str = ""
) -> Iterator[RecordBatchColumns]:
    """Documents of a JSONL file in batches; blank lines are no records.

    Parameters
    ----------
    taker : collects them; rows may be pending in it before and after.
    rows : records a batch, rejected ones counted.
    name : how records and faults name the file.

    Raises
    ------
    InputError : the file itself cannot be read, or its compressed data is damaged.
    """
    file = name or show_path(path)
    for line, raw in read_lines(path, limits):
        if raw is None:
            reason = f"the line is longer than {limits.max_line_bytes:,} bytes"
            taker.reject(file, line, "", reason, EXPECTED_OBJECT)
        elif not raw or raw.isspace():
            continue
        else:
            try:
                row = parse_object(raw)
            except LineError as fault:
                taker.reject(file, line, fault.field, fault.reason, fault.expected, raw)
            else:
                taker.take(row, file, line, raw, checked=True)
        if taker.pending >= rows:
            yield taker.flush()


def typed_rows(
    path: PathLike, build: Callable[[Fields], Any], *, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Any | Rejected]:
    """Whatever ``build`` makes of every object of a JSONL file; one it refuses is a :class:`Rejected` instead."""
    file = show_path(path)
    ordinal = -1
    for line, raw in read_lines(path, limits):
        if raw is not None and (not raw or raw.isspace()):
            continue
        ordinal += 1
        if raw is None:
            reason = f"the line is longer than {limits.max_line_bytes:,} bytes"
            yield Rejected(file, line, "", reason, EXPECTED_OBJECT, "", ordinal)
            continue
        try:
            yield build(Fields(parse_object(raw), file, line))
        except LineError as fault:
            yield Rejected(file, line, fault.field, fault.reason, fault.expected, safe_raw(raw), ordinal)
        except RecordError as error:
            known = error.rejected
            yield Rejected(file, line, known.field, known.reason, known.expected, safe_raw(raw), ordinal)


def attack_batches(
    path: PathLike, taker: Taker, *, rows: int, limits: Limits = DEFAULT_LIMITS
) -> Iterator[RecordBatchColumns]:
    """The poison documents of an attack file (:func:`.release.read_attacks`) as ordinary documents, one record each.

    Only id, title and text are taken: whatever the file says about attack, target or label stays out of the corpus.
    A line that is no attack is one rejected record.

    Raises
    ------
    InputError : as :func:`jsonl_batches`.
    """
    for row in typed_rows(path, lambda fields: fields, limits=limits):
        if isinstance(row, Rejected):
            taker.reject(row.file, row.line, row.field, row.reason, row.expected, row.raw)
        elif not isinstance(documents := row.record.get("documents"), list) or not documents:
            taker.reject(row.file, row.line, "documents", "holds no documents", "a list of objects with id and text")
        else:
            for place, entry in enumerate(documents):
                if isinstance(entry, dict):
                    kept = {name: entry[name] for name in ("id", "title", "text") if name in entry}
                    taker.take(kept, row.file, row.line, checked=True)
                else:
                    reason = f"is {show_value(entry)}"
                    taker.reject(row.file, row.line, f"documents[{place}]", reason, "an object with id and text")
        if taker.pending >= rows:
            yield taker.flush()
