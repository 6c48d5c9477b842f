"""The next open alert in the order of the queue that the reviewer came from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import streamlit as st

from app.components.queue_view import last_view
from app.session import Desk
from warehouse.alerts import queue_page
from warehouse.claims import claim
from warehouse.errors import RefusedError

_SKIPPED = "deciding_skipped"
_LOOKED_AT = 100
NOTHING_LEFT = "Nothing open is left in this view of the queue."


def next_open(here: Desk, *, without: Collection[str] = ()) -> dict[str, Any] | None:
    """The first open alert of the queue's view; those of ``without``, and alerts passed over before, come last."""
    view = last_view()
    passed = set(without) | set(st.session_state.get(_SKIPPED, ()))
    found = queue_page(
        here.warehouse,
        principal=here.principal,
        filters=replace(view.filters, statuses=("open",), holder="", verdicts=()),
        sort=view.sort,
        descending=view.descending,
        limit=_LOOKED_AT,
    ).rows
    fresh = [row for row in found if row["alert_id"] not in passed]
    return next(iter(fresh), None)


def claim_next(here: Desk, *, without: Collection[str] = ()) -> str | None:
    """Claim the next open alert and return its id; somebody else's race for the same one is lost without a word."""
    lost = set(without)
    for _ in range(10):
        row = next_open(here, without=lost)
        if row is None:
            return None
        try:
            claim(here.warehouse, row["alert_id"], int(row["version"]), principal=here.principal)
        except RefusedError:
            lost.add(row["alert_id"])
            continue
        return str(row["alert_id"])
    return None


def pass_over(alert: str) -> None:
    """Do not offer an alert again in this session until the others are through."""
    st.session_state[_SKIPPED] = [*st.session_state.get(_SKIPPED, ()), alert][-500:]


def go_to(alert: str) -> None:
    """In a callback of the alert page: its address names another alert from here on."""
    st.query_params.clear()
    st.query_params["alert"] = alert
