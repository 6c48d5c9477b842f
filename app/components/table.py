"""One way to show rows: sized to what it holds, no index, absent values as a dash, and the same rows as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.csv_export import csv_download

# Beyond this many rows a table scrolls in itself, so that what follows stays in reach
ROWS_SHOWN = 10
_SCROLLING = 390


def show_table(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any], *, name: str, key: str, most: int = ROWS_SHOWN
) -> None:
    """Draw ``rows`` with their CSV button.

    Parameters
    ----------
    rows : records; untrusted strings have gone through `labels.plain_label`.
    columns : column settings by field, in any order; ``None`` hides a field from the table, not from the CSV.
    name : of the CSV file, may be untrusted.
    key : of the button, unique on the page.
    most : rows shown before the table scrolls.
    """
    st.dataframe(
        list(rows),
        hide_index=True,
        height="content" if len(rows) <= most else _SCROLLING,
        column_config=count_columns(rows) | dict(columns),
        placeholder="–",
    )
    csv_download(rows, name, key=key)


def count_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Columns for the fields that hold whole numbers only: grouped, as all counts are."""
    held: dict[str, set[type]] = {}
    for row in rows:
        for field, value in row.items():
            if value is not None:
                held.setdefault(field, set()).add(type(value))
    return {field: number_column(field) for field, kinds in held.items() if kinds == {int}}


def number_column(label: str, help_text: str = "", *, digits: int | None = None, width: int | None = None) -> Any:
    """A column of numbers with ``digits`` decimals (None: counts, grouped as the reader's browser writes them)."""
    shown = "localized" if digits is None else f"%.{digits}f"
    return st.column_config.NumberColumn(label, format=shown, help=help_text or None, width=width)


def text_column(label: str, help_text: str = "", *, width: int | None = None) -> Any:
    """A column of text."""
    return st.column_config.TextColumn(label, help=help_text or None, width=width)
