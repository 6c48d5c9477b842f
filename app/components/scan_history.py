"""The scans of the warehouse, failed ones with their reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from app.components import url_state
from app.components.facts import moment
from app.components.labels import apart, plain_label
from app.components.table import number_column, show_table
from app.session import Desk
from warehouse.scans import list_scans

_MOST = 200


def show_scans(here: Desk, corpora: Sequence[str]) -> None:
    """Draw the latest scans of one corpus or of all."""
    corpus = url_state.one_of("corpus", list(corpora)) or ""
    st.selectbox(
        "Corpus",
        list(corpora),
        None,
        apart(corpora),
        placeholder="Any",
        key="corpus",
        on_change=url_state.keep,
        args=("corpus",),
        width=240,
    )
    found = list_scans(here.warehouse, principal=here.principal, corpus=corpus, limit=_MOST)
    if not found:
        st.info("No scan yet. Start one here, or run `ragsieve scan --corpus NAME`.", icon=":material/radar:")
        return
    columns = {
        "share": st.column_config.NumberColumn("share flagged", format="percent", help="Flagged of documents."),
        "seconds": number_column("seconds", "Wall time of the scan itself.", digits=1),
    }
    show_table([scan_row(row) for row in found], columns, name="scans", key="scans_csv", most=14)
    st.caption(
        f"n = {len(found)} scans, latest first"
        + (f"; older ones are not shown ({_MOST} at most)." if len(found) == _MOST else ".")
    )


def scan_row(row: dict[str, Any]) -> dict[str, Any]:
    """One scan as it is shown."""
    return {
        "finished": moment(row["finished_at"]),
        "corpus": plain_label(row["corpus"]),
        "detector": row["detector"].upper(),
        "rule": plain_label(row["rule"], 30),
        "documents": row["documents"],
        "flagged": row["flagged"],
        "share": row["flagged"] / row["documents"] if row["documents"] else None,
        "seconds": row["seconds"],
        "status": row["status"],
        "state": row["state"].replace("_", " "),
        "by": plain_label(row["actor"], 40),
        "error": plain_label(row["error"], 200) if row["error"] else "",
        "scan": row["scan_id"],
    }
