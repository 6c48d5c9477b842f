"""Changes of policy or role that wait for another admin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.components.facts import moment
from app.components.labels import apart, plain_label
from app.components.outcome import attempt
from app.components.settings.limits import LIMITS
from app.components.table import show_table, text_column
from app.session import Desk
from ragsieve_core.errors import RagsieveError
from ragsieve_core.review.approval import ReviewPolicy
from warehouse.desk_policy import review_policy
from warehouse.roles import approve_request, list_requests, reject_request


def show_requests(here: Desk, kind: str) -> None:
    """Requests of one kind (``policy`` or ``role``): those that wait with their buttons, the others as a list."""
    try:
        found = [row for row in list_requests(here.warehouse, principal=here.principal) if row["kind"] == kind]
    except RagsieveError:
        return
    if not found:
        return
    now = review_policy(here.warehouse, principal=here.principal)
    waiting = {row["request_id"]: row for row in found if row["outcome"] is None}
    if waiting:
        st.markdown(f"**Waiting for another admin, n = {len(waiting):,}**")
    show_table(
        [_drawn(row, now) for row in found[:100]],
        {"change": text_column("change", width=340), "note": text_column("note", width=220)},
        name=f"{kind}_requests",
        key=f"{kind}_requests_csv",
        most=6,
    )
    if not waiting:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Request",
            list(waiting),
            format_func=apart(
                waiting, lambda one: f"{_change(waiting[one], now)} · by {plain_label(waiting[one]['actor'], 40)}"
            ),
            key=f"{kind}_request",
            width=420,
        )
        st.button(
            "Approve the change", key=f"{kind}_approve", icon=":material/check:", on_click=_end, args=(kind, True)
        )
        st.button("Reject it", key=f"{kind}_reject", icon=":material/close:", on_click=_end, args=(kind, False))


def _end(kind: str, yes: bool) -> None:
    def work(here: Desk) -> str:
        chosen = st.session_state[f"{kind}_request"]
        if yes:
            approve_request(here.warehouse, chosen, principal=here.principal)
            return "The change is in force."
        reject_request(here.warehouse, chosen, principal=here.principal)
        return "The change is rejected."

    attempt(work)


def _drawn(row: Mapping[str, Any], now: ReviewPolicy) -> dict[str, Any]:
    return {
        "asked": moment(row["acted_at"]),
        "by": plain_label(row["actor"]),
        "change": _change(row, now),
        "state": row["outcome"] or "waits",
        "ended by": plain_label(row["ended_by"]) if row["ended_by"] else None,
        "note": plain_label(row["note"], 200),
    }


def _change(row: Mapping[str, Any], now: ReviewPolicy) -> str:
    given = json.loads(row["payload"])
    if row["kind"] == "role":
        tenants = "all tenants" if given["tenants"] is None else ", ".join(given["tenants"])
        return f"{plain_label(given['identity'], 60)}: {given['role']}, {plain_label(tenants, 60)}"
    told = [f"{LIMITS[name][0]} {value:g}" for name, value in given.items() if value != getattr(now, name)]
    return ", ".join(told) or "as it is now"
