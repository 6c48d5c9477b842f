"""CSV read back by Python's own reader; formulas by OWASP's list of starts."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.safe_csv import csv_bytes, neutral


def back(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", " =", "\ufeff=", "\u00a0@"]
)
def test_a_formula_is_neutralised(start: str) -> None:
    assert neutral(start + "cmd|' /C calc'!A0") == "'" + start + "cmd|' /C calc'!A0"


@pytest.mark.parametrize("value", [None, True, 0, -1, -0.5, "a=b", "1-2", "", "text"])
def test_everything_else_is_left_alone(value: object) -> None:
    assert neutral(value) == value


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8"), max_size=20), min_size=1, max_size=5))
def test_cells_come_back(cells: list[str]) -> None:
    rows = back(csv_bytes([{"cell": cell, "n": 1} for cell in cells]))
    assert rows[0] == ["cell", "n"]
    assert [row[0] for row in rows[1:]] == [neutral(cell) for cell in cells]


def test_columns_and_absent_fields() -> None:
    assert back(csv_bytes([{"a": -1.5, "b": None}, {"b": "=x"}], columns=["b", "a"])) == [
        ["b", "a"],
        ["", "-1.5"],
        ["'=x", ""],
    ]
    assert csv_bytes([], columns=["a"]) == b"a\r\n"
    assert csv_bytes([{"a": "\ud800"}]) == b"a\r\n\\ud800\r\n"
