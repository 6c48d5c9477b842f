"""The table of the queue: untrusted strings as visible lines, and a button per row that opens the alert by its id."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.components.definitions import definition
from app.components.facts import age
from app.components.labels import plain_label
from app.components.table import number_column, text_column
from warehouse.records import Page

SHOWN = "queue_shown"
OPENED = "queue_opened"
_CLICK = "queue_click"


def drawn_rows(page: Page) -> list[dict[str, Any]]:
    """Rows as they are shown and exported."""
    return [
        {
            "alert_id": row["alert_id"],
            "severity": row["severity"],
            "score": row["score"],
            "detector": row["detector"].upper(),
            "kind": row["kind"],
            "document_id": plain_label(row["document_id"]),
            "title": plain_label(row["title"]),
            "source_uri": plain_label(row["source_uri"]),
            "contributor": plain_label(row["contributor"]),
            "reach": f"{row['in_context']} / {row['retrieved']}",
            "age": age(row["age_hours"]),
            "status": row["status"].replace("_", " "),
            "corpus": plain_label(row["corpus"]),
            "campaign_size": row["campaign_size"],
        }
        for row in page.rows
    ]


def open_clicked() -> None:
    """Remember the id that was drawn in the clicked row; the page is left after the callback."""
    click = st.session_state.get(_CLICK)
    shown = st.session_state.get(SHOWN, [])
    if click is not None and 0 <= click["row"] < len(shown):
        st.session_state[OPENED] = shown[click["row"]]


def show_queue(page: Page) -> None:
    """Draw one page."""
    st.session_state[SHOWN] = [row["alert_id"] for row in page.rows]
    severity = st.column_config.ProgressColumn(
        "severity", min_value=0, max_value=100, format="%.0f", help=definition("severity"), width=100
    )
    st.dataframe(
        [{"open": "Open"} | row for row in drawn_rows(page)],
        hide_index=True,
        height="content" if len(page.rows) <= 14 else 500,
        placeholder="–",
        column_config={
            "open": st.column_config.ButtonColumn("", width=70, pinned=True, key=_CLICK, on_click=open_clicked),
            "alert_id": None,
            "severity": severity,
            "score": number_column("score", definition("score"), digits=2, width=58),
            "detector": text_column("detector", "RSQ: against the query's own tail. RSG: in the corpus.", width=68),
            "kind": text_column("kind", definition("kind"), width=92),
            "document_id": text_column("document", width=110),
            "title": text_column("title", width=190),
            "source_uri": text_column("source", width=150),
            "contributor": text_column("contributor", width=95),
            "reach": text_column("reach", definition("reach"), width=58),
            "age": text_column("age", definition("opened_at"), width=58),
            "status": text_column("status", definition("status"), width=62),
            "corpus": text_column("corpus", width=90),
            "campaign_size": number_column("campaign", definition("campaign_size"), width=80),
        },
    )
