from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.formats.json_line import LineError, parse_object, text_fault

_TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20)
_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(_TEXT, _VALUE, max_size=5), st.booleans(), st.sampled_from(["", " ", "\t\r", "  "]))
def test_reads_what_json_writes(record: dict[str, Any], ascii_only: bool, white: str) -> None:
    line = white + json.dumps(record, ensure_ascii=ascii_only) + white
    assert parse_object(line.encode()) == record


@given(st.text(max_size=60) | st.sampled_from(["{}", "[]", '{"a":1}x', "nul", "-", '"', "{", '{"a"', "tru e"]))
def test_agrees_with_json_on_what_is_json(text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    try:
        expected = json.loads(text)
    except ValueError:
        expected = None
    try:
        found = parse_object(raw)
    except LineError:
        found = None
    assert found is None or found == expected


@pytest.mark.parametrize(
    ("line", "reason", "field"),
    [
        (b'{"a": 1} {"b": 2}', "broken JSON at column 10: something follows the object", ""),
        (b'{"a": }', "broken JSON at column 7: a value is missing", ""),
        (b"", "broken JSON at column 1: a value is missing", ""),
        (b'{"a": NaN}', "NaN is not JSON", ""),
        (b'{"a": [-Infinity]}', "-Infinity is not JSON", ""),
        (b'{"a": 1, "a": 1}', "the key 'a' is given twice", ""),
        (b'{"x": {"b": 1, "c": 2, "b": 3}}', "the key 'b' is given twice", ""),
        (b'{"a": "\\ud83d"}', "holds the lone surrogate U+D83D", "a"),
        (b'{"a": [{"b": "x\\udc00y"}]}', "holds the lone surrogate U+DC00", "a"),
        (b'{"a": {"\\ud800": 1}}', "holds the lone surrogate U+D800", "a"),
        (b'{"\\ud800": 1}', "holds the lone surrogate U+D800", ""),
        (b'{"a": "x\\u0000"}', "holds the character U+0000", "a"),
        (b'{"a": "x\0"}', "broken JSON at column 9: Invalid control character at", ""),
        (b'{"a": "\xed\xa0\x80"}', "byte 8 of the line is not UTF-8", ""),
        (b'{"a": "\xc0\x80"}', "byte 8 of the line is not UTF-8", ""),
        (b'"text"', "the line is a bare value, not an object", ""),
        (b"[{}]", "the line is a list, not an object", ""),
        (b"[" * 100_000, "JSON nested too deep to read", ""),
        (b'{"a":' * 100_000, "JSON nested too deep to read", ""),
        (b'{"a": 1' + b"0" * 5000 + b"}", "an integer has too many digits", ""),
    ],
    ids=itertools.count(),
)
def test_refused(line: bytes, reason: str, field: str) -> None:
    with pytest.raises(LineError) as raised:
        parse_object(line)
    assert (raised.value.reason, raised.value.field) == (reason, field)


def test_a_pair_of_surrogate_escapes_is_a_character() -> None:
    assert parse_object(b'{"a": "\\ud83d\\ude00"}') == {"a": "😀"}


def test_numbers_beyond_floats_are_read() -> None:
    assert parse_object(b'{"a": 1' + b"0" * 400 + b"}") == {"a": 10**400}


def test_text_fault() -> None:
    assert text_fault("fine ß 😀") == ""
    assert text_fault("a\0") == "holds the character U+0000"
    assert text_fault("a\udfff") == "holds the lone surrogate U+DFFF"
