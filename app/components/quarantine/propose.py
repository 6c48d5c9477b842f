"""From verdicts to a version: alerts whose quarantine is not in force yet, and holds."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.components.facts import moment
from app.components.labels import apart, plain_label
from app.components.quarantine.acts import approve_alerts, end_hold, propose_alerts
from app.components.table import number_column, show_table, text_column
from app.pages_map import QUEUE, page_file
from app.session import Desk
from warehouse.alerts import QueueFilter, queue_page
from warehouse.holds import list_holds

MOST = 200


def show_propose(here: Desk) -> None:
    """The alerts, what to do with them, and two ways on."""
    wanted = QueueFilter(statuses=("decided", "waiting"), verdicts=("quarantine",))
    page = queue_page(here.warehouse, principal=here.principal, filters=wanted, limit=MOST)
    if not page.total:
        st.info(
            "No verdict waits: every alert with the verdict quarantine is in force. Decide alerts in the queue first.",
            icon=":material/inbox:",
        )
        st.page_link(page_file(QUEUE), label="Open the queue", icon=":material/inbox:")
        return
    more = f", the {MOST} most severe shown" if page.total > MOST else ""
    st.caption(f"n = {page.total:,} alerts with the verdict quarantine that are not in force{more}.")
    show_table(
        [_drawn(row) for row in page.rows],
        {
            "severity": number_column("severity", digits=0, width=70),
            "document": text_column("document", width=220),
            "reach": text_column("reach", "Answers it got into / times it was retrieved.", width=80),
            "by": text_column("verdict by", width=120),
        },
        name="waiting_alerts",
        key="waiting_csv",
        most=8,
    )
    names = {row["alert_id"]: row for row in page.rows}
    st.multiselect(
        "Alerts",
        list(names),
        list(names),
        format_func=apart(
            names, lambda one: f"{plain_label(names[one]['document_id'], 40)} · {names[one]['detector'].upper()}"
        ),
        key="propose_alerts",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Leave after days", 0.0, 3650.0, 0.0, 1.0, key="propose_days", width=150, format="%.0f", help="0 = stays."
        )
        st.text_input("Note", key="propose_note", max_chars=500, width=320)
        st.button("Propose a version", icon=":material/add:", type="primary", key="propose", on_click=propose_alerts)
        st.button(
            "Approve these verdicts",
            icon=":material/check:",
            key="approve_alerts",
            on_click=approve_alerts,
            help="Puts them in force at once, without end. Refused for verdicts that you gave, unless you work alone.",
        )


def show_holds(here: Desk) -> None:
    """Documents that are out of retrieval until somebody decides."""
    found = list_holds(here.warehouse, principal=here.principal)
    if not found:
        st.caption("No document is on hold. A hold is set on the alert, or by the review policy.")
        return
    st.caption(f"n = {len(found):,} documents are out of retrieval until their alert is decided or the time is over.")
    show_table(
        [
            {
                "document": plain_label(row["document_id"]),
                "corpus": plain_label(row["corpus"]),
                "until": moment(row["expires_at"]),
                "by": plain_label(row["actor"]),
                "reason": plain_label(row["reason"], 200),
            }
            for row in found[:MOST]
        ],
        {"document": text_column("document", width=220), "reason": text_column("reason", width=320)},
        name="holds",
        key="holds_csv",
        most=8,
    )
    names = {row["hold_id"]: row for row in found[:MOST]}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Hold of",
            list(names),
            format_func=apart(names, lambda one: plain_label(names[one]["document_id"], 60)),
            key="hold_chosen",
            width=320,
        )
        st.button("End this hold", icon=":material/timer_off:", key="hold_end", on_click=end_hold)


def _drawn(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "severity": row["severity"],
        "document": plain_label(row["document_id"]),
        "corpus": plain_label(row["corpus"]),
        "detector": row["detector"].upper(),
        "state": "waits for a second person" if row["status"] == "waiting" else "decided",
        "reach": f"{row['in_context']} / {row['retrieved']}",
        "by": plain_label(row["state_actor"]),
        "decided": moment(row["state_at"]),
    }
