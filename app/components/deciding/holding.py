"""Holds: keep a document out of retrieval while nobody has decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.components.facts import moment
from app.components.labels import safe_label
from app.components.outcome import attempt
from app.session import Desk
from warehouse.holds import LONGEST_HOURS, end_hold, hold, list_holds


def show_holding(here: Desk, alert: Mapping[str, Any], *, undecided: bool) -> None:
    """Standing holds of the alert's document, and a form for one more while it is undecided."""
    name = str(alert["alert_id"])
    key = (alert["corpus_id"], alert["document_id"])
    standing = [
        row
        for row in list_holds(here.warehouse, principal=here.principal)
        if (row["corpus_id"], row["document_id"]) == key
    ]
    may = here.principal.at_least("reviewer")
    for row in standing:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f":material/pause_circle: **On hold**, out of retrieval until {moment(row['expires_at'])}, by "
                f"{safe_label(row['actor'], 60)}: {safe_label(row['reason'], 120)}",
                width="content",
            )
            if may:
                st.button("End hold", key=f"end_{row['hold_id']}", on_click=let_go, args=(row["hold_id"],))
    if not (undecided and may and not standing):
        return
    with st.popover("Hold it meanwhile", icon=":material/pause_circle:"):
        st.caption("Out of retrieval at once; back when the time is over or a verdict ends it.")
        st.number_input("Hours", 0.5, LONGEST_HOURS, 24.0, step=1.0, key=f"hold_hours:{name}")
        st.text_input("Why", key=f"hold_why:{name}", max_chars=500)
        st.button("Hold", key="hold", type="primary", on_click=put_on_hold, args=(name,))


def put_on_hold(alert: str) -> None:
    """Callback: set a hold."""
    hours = float(st.session_state.get(f"hold_hours:{alert}") or 0)
    reason = str(st.session_state.get(f"hold_why:{alert}") or "")

    def work(here: Desk) -> str:
        made = hold(here.warehouse, alert, principal=here.principal, hours=hours, reason=reason)
        return f"On hold: out of retrieval until {moment(made.expires_at)}, or until it is decided."

    attempt(work)


def let_go(hold_id: str) -> None:
    """Callback: end a hold before its time."""

    def work(here: Desk) -> str:
        end_hold(here.warehouse, hold_id, principal=here.principal)
        return "The hold is over: the document can be retrieved again."

    attempt(work)
