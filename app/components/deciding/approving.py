"""The second person: approve or turn down a quarantine that waits, or put one in force that nobody did yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.components.labels import safe_label
from app.components.outcome import attempt, short
from app.session import Desk
from warehouse.approvals import approve, proposers_of, turn_down


def show_approving(here: Desk, alert: Mapping[str, Any]) -> None:
    """Who may approve, and the buttons for them."""
    name, waits = str(alert["alert_id"]), alert["status"] == "waiting"
    proposers = sorted(proposers_of(here.warehouse, name, principal=here.principal))
    listed = ", ".join(safe_label(one, 60) for one in proposers)
    if waits:
        st.markdown(f"**Waits for a second person.** Proposed by {listed}. The document is still in retrieval.")
    else:
        st.markdown("**Decided, but not in force yet:** the document is still in retrieval.")
    if not here.principal.at_least("approver"):
        st.caption("Approving needs the role approver.")
        return
    if here.principal.identity in proposers and not here.single_user:
        st.caption("You proposed it: another approver has to approve it (`same_person`).")
        return
    st.text_input("Note on this approval", key=f"approval_note:{name}", max_chars=1_000)
    with st.container(horizontal=True):
        st.button("Approve" if waits else "Put in force", key="approve", type="primary", shortcut="a",
                  icon=":material/verified:", on_click=say_yes, args=(name,),
                  help="It leaves retrieval at once.")  # fmt: skip
        if waits:
            st.button("Turn down", key="turn_down", shortcut="t", icon=":material/thumb_down:", on_click=say_no,
                      args=(name,), help="The alert is open again.")  # fmt: skip


def say_yes(alert: str) -> None:
    """Callback: put the quarantine in force."""
    note = str(st.session_state.get(f"approval_note:{alert}") or "")

    def work(here: Desk) -> str:
        made = approve(here.warehouse, [alert], principal=here.principal, note=note)
        if made is None:
            return "In force: the document was quarantined before."
        return (
            f"In force with quarantine version {short(made.quarantine_id)}, {made.members} documents. "
            "Check it with a canary replay on Quarantine versions."
        )

    attempt(work)


def say_no(alert: str) -> None:
    """Callback: refuse the quarantine."""
    note = str(st.session_state.get(f"approval_note:{alert}") or "")

    def work(here: Desk) -> str:
        turn_down(here.warehouse, alert, principal=here.principal, note=note)
        return "Turned down: the alert is open again."

    attempt(work)
