"""Single values of a record, checked and brought into the one form columns hold them in."""

from __future__ import annotations

import datetime
import decimal
import json
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.formats.json_line import LineError, parse_object
from ragsieve_core.formats.showing import show_value

LONGEST_ID = 1024
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _as_text(value: Any) -> str:
    """Dates, times and exact decimals of columnar files as ISO 8601 or digits."""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta | decimal.Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__}")


_dump = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_as_text).encode


def label(value: Any, field: str) -> str:
    """A text, or an integer as its digits; null is empty."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise LineError(f"is {show_value(value)}", "a string or an integer", field)


def identifier(value: Any, field: str) -> str:
    """A valid id.

    Raises
    ------
    LineError : neither string nor integer, blank, above 1,024 characters, or with a control character.
    """
    text = value if isinstance(value, str) else label(value, field)
    if not text or text.isspace():
        raise LineError("is empty", "an id that is not blank", field)
    if len(text) > LONGEST_ID:
        raise LineError(f"is {len(text):,} characters long", f"an id of at most {LONGEST_ID:,} characters", field)
    # Printable ASCII needs no closer look, and nearly every id is that.
    if not (text.isascii() and text.isprintable()) and (match := _CONTROLS.search(text)):
        raise LineError(f"holds the control character U+{ord(match.group()):04X}", "an id without them", field)
    return text


def acl_labels(value: Any, field: str) -> tuple[str, ...]:
    """Labels from a list of strings, or from one string that separates them with semicolons."""
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(part for item in value.split(";") if (part := item.strip()))
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise LineError(f"is {show_value(value)}", "a list of strings, or one string with semicolons", field)


def metadata_object(value: Any, field: str) -> dict[str, Any]:
    """An object, given as such or as JSON text; null and an empty text are an empty one."""
    if isinstance(value, dict):
        return value
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        try:
            return parse_object(value.encode("utf-8"))
        except LineError as fault:
            raise LineError(f"is not a JSON object: {fault.reason}", "a JSON object", field) from None
    raise LineError(f"is {show_value(value)}", "a JSON object", field)


def dump_metadata(metadata: dict[str, Any], field: str) -> str:
    """JSON text of an object.

    Raises
    ------
    LineError : nested too deep, NaN or infinite numbers, or a value that has no JSON form.
    """
    try:
        return _dump(metadata)
    except RecursionError:
        raise LineError("is nested too deep", "a few levels", field) from None
    except ValueError:
        raise LineError("holds NaN or an infinite number", "JSON values", field) from None
    except TypeError as error:
        raise LineError(f"has a value without JSON form ({error})", "JSON values", field) from None


def listed_vector(value: Any, field: str) -> NDArray[np.float64] | None:
    """A vector from a list of numbers; null is none."""
    if value is None:
        return None
    if not isinstance(value, list) or not all(
        isinstance(item, int | float) and not isinstance(item, bool) for item in value
    ):
        raise LineError(f"is {show_value(value)}", "a list of numbers", field)
    try:
        return np.array(value, dtype=np.float64)
    except OverflowError:
        raise LineError("holds too large a number", "numbers that fit into a float", field) from None
