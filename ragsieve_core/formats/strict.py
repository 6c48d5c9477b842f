"""Typed fields of one record for the strict readers: the first fault is an error with file, line and field."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NoReturn

from ragsieve_core.errors import InputError
from ragsieve_core.formats.json_line import EXPECTED_OBJECT, LineError, parse_object
from ragsieve_core.formats.lines import read_lines
from ragsieve_core.formats.rejected import Rejected
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike
from ragsieve_core.formats.showing import show_path, show_value


class Fields:
    """Access to the fields of one object that knows where the object stands.

    Parameters
    ----------
    record : the object.
    file, line : where it stands.
    prefix : path to it inside the line, such as ``documents[3].``.
    """

    def __init__(self, record: dict[str, Any], file: str, line: int, prefix: str = "") -> None:
        self.record = record
        self.file = file
        self.line = line
        self.prefix = prefix

    def fail(self, field: str, reason: str, expected: str, do: str = "correct the record, or remove it") -> NoReturn:
        """Raise :class:`InputError` for ``field``."""
        name = f"{self.prefix}{field}" if field else self.prefix.rstrip(".")
        Rejected(self.file, self.line, name, reason, expected).raise_(do)

    def required(self, field: str, expected: str) -> Any:
        """The value of ``field``; missing is an error that lists what is there."""
        if field not in self.record:
            there = ", ".join(show_value(key)[1:-1] for key in list(self.record)[:12]) or "no field at all"
            self.fail(field, f"the field is missing (there: {there})", expected)
        return self.record[field]

    def text(self, field: str, *, empty: bool = True) -> str:
        """A string; with ``empty=False`` it must hold more than white space."""
        expected = "a string" if empty else "a non-empty string"
        value = self.required(field, expected)
        if not isinstance(value, str):
            self.fail(field, f"is {show_value(value)}", expected)
        if not empty and not value.strip():
            self.fail(field, "is empty", expected)
        return value

    def optional_text(self, field: str) -> str:
        """A string, empty where the field is missing or null."""
        return self.text(field) if self.record.get(field) is not None else ""

    def optional_bool(self, field: str) -> bool | None:
        """true, false, or ``None`` where the field is missing or null."""
        value = self.record.get(field)
        if value is not None and not isinstance(value, bool):
            self.fail(field, f"is {show_value(value)}", "true or false, or no such field")
        return value

    def optional_number(self, field: str) -> float | None:
        """A finite number, or ``None`` where the field is missing or null."""
        value = self.record.get(field)
        if value is None:
            return None
        expected = "a finite number, or no such field"
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(field, f"is {show_value(value)}", expected)
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.fail(field, "is too large a number", expected)
        return number

    def positive_int(self, field: str) -> int:
        """An integer >= 1."""
        value = self.required(field, "a positive integer")
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            self.fail(field, f"is {show_value(value)}", "a positive integer")
        return value

    def objects(self, field: str, expected: str) -> Iterator[Fields]:
        """The objects of a list, each knowing its place."""
        value = self.required(field, expected)
        if not isinstance(value, list):
            self.fail(field, f"is {show_value(value)}", expected)
        for index, item in enumerate(value):
            prefix = f"{self.prefix}{field}[{index}]."
            if not isinstance(item, dict):
                Fields({}, self.file, self.line, prefix).fail("", f"is {show_value(item)}", "an object")
            yield Fields(item, self.file, self.line, prefix)


def strict_objects(path: PathLike, limits: Limits = DEFAULT_LIMITS) -> Iterator[Fields]:
    """Every object of a JSONL file, blank lines left out; the first broken line is an error.

    Raises
    ------
    InputError : the file cannot be read, holds no record, or has a line that is not a JSON object.
    """
    file = show_path(path)
    line = 0
    empty = True
    for line, raw in read_lines(path, limits):
        if raw is None:
            reason = f"the line is longer than {limits.max_line_bytes:,} bytes"
            Rejected(file, line, "", reason, EXPECTED_OBJECT).raise_()
        if not raw.strip():
            continue
        try:
            record = parse_object(raw)
        except LineError as fault:
            Rejected(file, line, fault.field, fault.reason, fault.expected).raise_()
        empty = False
        yield Fields(record, file, line)
    if empty:
        what = "the file holds blank lines only" if line else "the file is empty"
        raise InputError(what, where=file, expected=EXPECTED_OBJECT, do="check that this is the file you meant")
