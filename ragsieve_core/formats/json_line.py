"""One line of JSONL, read as JSON is defined and no wider.

Refused although Python's own reader takes them: ``NaN`` and ``Infinity``, a key given twice (the earlier value would
vanish), ``\\uD800`` and other lone surrogates (no valid UTF-8 exists for them), and U+0000 in a text.
"""

from __future__ import annotations

import json
import json.scanner
import re
from typing import Any

EXPECTED_OBJECT = "one JSON object a line, UTF-8"
_SURROGATE = re.compile("[\ud800-\udfff]")


class LineError(Exception):
    """Why a line is not a record: ``reason``, ``expected`` and the ``field`` if one is to blame."""

    def __init__(self, reason: str, expected: str = EXPECTED_OBJECT, field: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.expected = expected
        self.field = field


def _no_constant(name: str) -> Any:
    raise LineError(f"{name} is not JSON", "a finite number, or null")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise LineError(f"the key {twice[:80]!a} is given twice", "each key once in an object")
    return record


# The scanner itself: JSONDecoder.decode spends more on white space around the value than on a short value.
_decoder: Any = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
_scan = json.scanner.make_scanner(_decoder)
_WHITE = " \t\r\n"


def text_fault(text: str) -> str:
    """Why ``text`` cannot be stored as it is: a lone surrogate or U+0000; empty if it can."""
    if "\0" in text:
        return "holds the character U+0000"
    match = _SURROGATE.search(text)
    return f"holds the lone surrogate U+{ord(match.group()):04X}" if match else ""


def _check_texts(value: Any, field: str) -> None:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if reason := text_fault(item):
                raise LineError(reason, "text that has a valid UTF-8 form, without U+0000", field)
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())


def parse_object(line: bytes) -> dict[str, Any]:
    """The object on one line.

    Raises
    ------
    LineError : invalid UTF-8, not JSON, not an object, or one of the refusals in the module's text.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LineError(f"byte {error.start + 1} of the line is not UTF-8") from None
    try:
        record, end = _scan(text, 0 if text[:1] == "{" else len(text) - len(text.lstrip(_WHITE)))
    except StopIteration as stop:
        raise LineError(f"broken JSON at column {stop.value + 1}: a value is missing") from None
    except json.JSONDecodeError as error:
        raise LineError(f"broken JSON at column {error.pos + 1}: {error.msg}") from None
    except RecursionError:
        raise LineError("JSON nested too deep to read", "objects and lists nested a few levels deep") from None
    except ValueError:
        raise LineError("an integer has too many digits", "integers of at most 4,300 digits") from None
    if end != len(text) and (rest := text[end:].lstrip(_WHITE)):
        raise LineError(f"broken JSON at column {len(text) - len(rest) + 1}: something follows the object")
    if not isinstance(record, dict):
        kind = "a list" if isinstance(record, list) else "a bare value"
        raise LineError(f"the line is {kind}, not an object")
    # Valid UTF-8 has no surrogates and JSON no raw control characters: both can only come from an escape.
    if b"\\u" in line:
        for key, value in record.items():
            _check_texts(value, key if not text_fault(key) else "")
            _check_texts(key, "")
    return record
