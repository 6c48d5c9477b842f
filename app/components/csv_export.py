"""The button that offers what is shown as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.labels import file_label
from app.services.safe_csv import csv_bytes


def csv_download(
    rows: Sequence[Mapping[str, Any]], file_name: str, *, key: str, columns: Sequence[str] | None = None
) -> None:
    """A button that saves ``rows`` as CSV."""
    st.download_button(
        "CSV",
        lambda: csv_bytes(rows, columns),
        file_name=f"{file_label(file_name)}.csv",
        mime="text/csv",
        key=key,
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        help="The numbers behind this view. Cells that a spreadsheet would run as a formula are neutralised.",
    )
