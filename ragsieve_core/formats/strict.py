"""Typed fields of one record for the strict readers: the first fault is an error with file, line and field."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NoReturn

from ragsieve_core.errors import InputError
from ragsieve_core.formats.json_line import EXPECTED_OBJECT, LineError, parse_object
from ragsieve_core.formats.lines import read_lines
from ragsieve_core.formats.rejected import RecordError, Rejected
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
        raise RecordError(Rejected(self.file, self.line, name, reason, expected), do)

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

    def texts(self, field: str) -> tuple[str, ...]:
        """A list of strings, or one string for a list of one; empty where the field is missing or null."""
        value = self.record.get(field)
        if value is None:
            return ()
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fail(field, f"is {show_value(value)}", "a list of strings")
        return tuple(value)

    def optional_object(self, field: str) -> dict[str, Any]:
        """An object, empty where the field is missing or null."""
        value = self.record.get(field)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.fail(field, f"is {show_value(value)}", "an object")
        return value

    def integer(self, field: str) -> int:
        """An integer of at most 64 bits, of any sign."""
        value = self.required(field, "an integer")
        if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
            self.fail(field, f"is {show_value(value)}", "an integer of at most 64 bits")
        return value

    def boolean(self, field: str) -> bool:
        """true or false."""
        self.required(field, "true or false")
        value = self.optional_bool(field)
        if value is None:
            self.fail(field, "is null", "true or false")
        return value

    def first_of(self, *names: str) -> str:
        """The first of the names that the record holds; the first of all if it holds none."""
        return next((name for name in names if name in self.record), names[0])

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
            raise RecordError(Rejected(file, line, "", reason, EXPECTED_OBJECT))
        if not raw.strip():
            continue
        try:
            record = parse_object(raw)
        except LineError as fault:
            raise RecordError(Rejected(file, line, fault.field, fault.reason, fault.expected)) from None
        empty = False
        yield Fields(record, file, line)
    if empty:
        what = "the file holds blank lines only" if line else "the file is empty"
        raise InputError(what, where=file, expected=EXPECTED_OBJECT, do="check that this is the file you meant")
