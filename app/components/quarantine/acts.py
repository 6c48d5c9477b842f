"""What the buttons of the screen Quarantine do; each asks anew who is acting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import streamlit as st

from app.components.outcome import attempt
from app.session import Desk
from warehouse import approvals, holds, quarantine
from warehouse.ids import utc_now
from warehouse.quarantine import QuarantineVersion


def approve(quarantine_id: str) -> None:
    """Put a proposed version in force."""

    def work(here: Desk) -> str:
        note = st.session_state.get("approve_note", "")
        made = quarantine.publish_version(here.warehouse, quarantine_id, principal=here.principal, note=note)
        return f"#{made.sequence} is in force: it applies to every answer. Its canary replay runs by itself now."

    attempt(work)


def reject(quarantine_id: str) -> None:
    """Turn a proposed version down."""

    def work(here: Desk) -> str:
        note = st.session_state.get("approve_note", "")
        made = quarantine.reject_version(here.warehouse, quarantine_id, principal=here.principal, note=note)
        return f"#{made.sequence} is rejected. What is in force did not change."

    attempt(work)


def roll_back(quarantine_id: str) -> None:
    """Propose a new version with the documents of an earlier one."""
    _propose(
        lambda here: quarantine.propose_rollback(
            here.warehouse,
            quarantine_id,
            principal=here.principal,
            note=st.session_state.get("rollback_note", ""),
        )
    )


def propose_release() -> None:
    """Propose the version in force without the chosen documents."""
    chosen = [tuple(key.split("\x1f", 1)) for key in st.session_state.get("release_documents", [])]
    _propose(
        lambda here: quarantine.propose(
            here.warehouse,
            principal=here.principal,
            remove=[(corpus, document) for corpus, document in chosen],
            note=st.session_state.get("release_note", ""),
            release_reason=st.session_state.get("release_reason", "benign"),
            release_days=st.session_state.get("release_days"),
        )
    )


def propose_alerts() -> None:
    """Propose the version in force plus the documents of the chosen alerts."""
    days = st.session_state.get("propose_days") or 0
    until = utc_now() + timedelta(days=days) if days else None
    _propose(
        lambda here: quarantine.propose(
            here.warehouse,
            principal=here.principal,
            add=st.session_state.get("propose_alerts", []),
            note=st.session_state.get("propose_note", ""),
            expires_at=until,
        )
    )


def approve_alerts() -> None:
    """Put the quarantines of the chosen alerts in force together."""

    def work(here: Desk) -> str:
        made = approvals.approve(
            here.warehouse,
            st.session_state.get("propose_alerts", []),
            principal=here.principal,
            note=st.session_state.get("propose_note", ""),
        )
        if made is None:
            return "Approved. Every one of these documents was quarantined before."
        _show(made)
        return f"#{made.sequence} is in force: it applies to every answer. Its canary replay runs by itself now."

    attempt(work)


def end_hold() -> None:
    """End the chosen hold before its time."""

    def work(here: Desk) -> str:
        holds.end_hold(here.warehouse, st.session_state.get("hold_chosen") or "", principal=here.principal)
        return "The hold ended: the document is back in retrieval unless it is quarantined."

    attempt(work)


def _propose(make: Callable[[Desk], QuarantineVersion]) -> None:
    def work(here: Desk) -> str:
        made = make(here)
        _show(made)
        return f"#{made.sequence} is proposed. It changes nothing until it is approved: look at it below."

    attempt(work)


def _show(made: QuarantineVersion) -> None:
    st.query_params["version"] = made.quarantine_id
    st.query_params.pop("with", None)
    st.session_state["tab"] = "Versions"
