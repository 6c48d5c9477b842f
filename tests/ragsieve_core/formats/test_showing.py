from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.formats.showing import show_path, show_value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a", "'a'"),
        ("x" * 81, "'" + "x" * 80 + "'…"),
        ("\u202e\ud800\0", "'\\u202e\\ud800\\x00'"),
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (7, "7"),
        (1.5, "1.5"),
        (10**400, "an integer of 1329 bits"),
        ([1, 2], "a list of 2"),
        ({"a": 1}, "an object of 1"),
        (b"abc", "3 bytes"),
    ],
)
def test_values(value: Any, shown: str) -> None:
    assert show_value(value) == shown


@given(st.text(max_size=50) | st.binary(max_size=50).map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_paths_are_printable(name: str) -> None:
    try:
        name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return
    assert show_path(name).isprintable()


def test_plain_paths_stay_as_they_are() -> None:
    assert show_path("dir/ß 中.jsonl") == "dir/ß 中.jsonl"
