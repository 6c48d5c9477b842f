"""Hostile names and values made safe to print: escaped, short, on one line."""

from __future__ import annotations

import os

_LONGEST = 80


def show_path(path: str | os.PathLike[str]) -> str:
    """The path as one printable line: undecodable bytes and control characters appear as escapes."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def show_value(value: object) -> str:
    """Python ``repr`` cut to 80 characters; ``repr`` already escapes control, bidirectional and surrogate characters.

    Containers show their kind and size only: their ``repr`` can be as deep and as long as the input.
    """
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, str):
        return repr(value) if len(value) <= _LONGEST else repr(value[:_LONGEST]) + "…"
    if isinstance(value, int) and abs(value) >= 10**_LONGEST:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return repr(value)[:_LONGEST]
