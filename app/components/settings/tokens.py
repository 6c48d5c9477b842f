"""Tokens for programs: made here, shown once, revoked here."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from app.components.facts import moment
from app.components.labels import apart, plain_label
from app.components.once import take
from app.components.outcome import attempt
from app.components.table import show_table, text_column
from app.session import Desk
from warehouse.ids import utc_now
from warehouse.tokens import SCOPES, issue_token, list_tokens, revoke_token

_SECRET: Final = "token_secret"
_MEANS: Final = {
    "ingest": "ingest: brings documents, vectors and scans",
    "gate": "gate: asks the gate and brings its events",
    "read": "read: reads only",
}


def show_tokens(here: Desk) -> None:
    """The list, the form, and a fresh secret this once."""
    if not here.principal.at_least("admin"):
        st.caption("Tokens are made and revoked by an admin.")
        return
    secret = take(_SECRET)
    if secret:
        with st.container(border=True):
            st.markdown("**Copy it now: it is shown this once and stored nowhere.**")
            st.code(secret, language=None)
    st.caption("For scanners and gates on other machines. A token brings or reads data; none can decide anything.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name", key="token_name", placeholder="scanner 1", max_chars=100, width=200)
        st.selectbox("May", SCOPES, format_func=_MEANS.__getitem__, key="token_scope", width=340)
        st.text_input("Tenant", key="token_tenant", placeholder="all", max_chars=200, width=150)
        st.number_input("Days", 0.0, 3650.0, 90.0, 1.0, key="token_days", format="%.0f", width=120, help="0 = no end.")
        st.button("Make a token", icon=":material/key:", type="primary", key="token_go", on_click=_issue)
    found = list_tokens(here.warehouse, principal=here.principal)
    if not found:
        st.caption("No token yet.")
        return
    show_table(
        [_drawn(row) for row in found],
        {"name": text_column("name", width=180), "token": text_column("id", width=250)},
        name="tokens",
        key="tokens_csv",
    )
    alive = {row["token_id"]: row for row in found if row["revoked_at"] is None}
    if not alive:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Token",
            list(alive),
            format_func=apart(alive, lambda one: f"{plain_label(alive[one]['name'])} · {one[-6:]}"),
            key="token_chosen",
            width=260,
        )
        st.button(
            "Revoke it", icon=":material/block:", key="token_revoke", on_click=_revoke, help="From its next request on."
        )


def _drawn(row: dict[str, Any]) -> dict[str, Any]:
    over = row["expires_at"] is not None and row["expires_at"] <= utc_now()
    return {
        "name": plain_label(row["name"]),
        "may": row["scope"],
        "tenant": "all" if row["tenant"] is None else plain_label(row["tenant"]),
        "state": "revoked" if row["revoked_at"] is not None else "run out" if over else "valid",
        "made": moment(row["created_at"]),
        "by": plain_label(row["created_by"]),
        "until": "no end" if row["expires_at"] is None else moment(row["expires_at"]),
        "token": row["token_id"],
    }


def _issue() -> None:
    def work(here: Desk) -> str:
        made = issue_token(
            here.warehouse,
            principal=here.principal,
            name=st.session_state.get("token_name", ""),
            scope=st.session_state["token_scope"],
            tenant=st.session_state.get("token_tenant", "").strip() or None,
            days=st.session_state.get("token_days") or None,
        )
        st.session_state[_SECRET] = made.secret
        st.session_state["token_name"] = ""
        return "The token is made. Its secret stands below, this once."

    attempt(work)


def _revoke() -> None:
    def work(here: Desk) -> str:
        revoke_token(here.warehouse, st.session_state["token_chosen"], principal=here.principal)
        return "The token is revoked from its next request on."

    attempt(work)
