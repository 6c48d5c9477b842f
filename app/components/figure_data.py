"""The numbers behind a figure as CSV and Parquet, and the command that makes them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import streamlit as st

from app.components.csv_export import csv_download
from app.components.labels import file_label, plain_label
from app.services.export_files import write_table


def figure_data(rows: Sequence[Mapping[str, Any]], name: str, command: str, *, key: str, shown: bool = True) -> None:
    """Two small buttons and the command below a figure.

    Parameters
    ----------
    shown : False where the page shows one command for several figures; the files hold it all the same.
    """

    def parquet() -> bytes:
        stream = io.BytesIO()
        write_table(pa.Table.from_pylist([dict(row) for row in rows]), stream, "parquet", {"command": command})
        return stream.getvalue()

    with st.container(horizontal=True, vertical_alignment="center"):
        csv_download(rows, name, key=f"{key}_csv")
        st.download_button(
            "Parquet",
            parquet,
            file_name=f"{file_label(name)}.parquet",
            mime="application/vnd.apache.parquet",
            key=f"{key}_parquet",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            help="The numbers behind this figure, every value as it is.",
        )
    if shown:
        st.code(plain_label(command, 600), language=None, wrap_lines=True)
