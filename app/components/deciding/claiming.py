"""Who is looking at an alert, until when: claim, extend, give back, take over."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import streamlit as st

from app.components.facts import moment
from app.components.labels import safe_label
from app.components.outcome import attempt
from app.session import Desk
from ragsieve_core.review.workflow import status_at
from warehouse.alert_state import state_of
from warehouse.claims import claim, end_claim


def holder_of(alert: Mapping[str, Any], now: datetime) -> str | None:
    """Who holds the alert at ``now``; None where nobody does or the claim ran out."""
    return str(alert["holder"]) if status_at(state_of(alert), now) == "claimed" else None


def holder_line(alert: Mapping[str, Any], now: datetime, me: str) -> str:
    """Holder and end in words, for Markdown; empty where nobody ever claimed it."""
    end = alert["expires_at"]
    if end is None:
        return ""
    mine = alert["holder"] == me
    if end <= now:
        whose = "Your claim" if mine else f"The claim of {safe_label(alert['holder'], 60)}"
        return f"{whose} ran out at {moment(end)}."
    left = max(1, round((end - now).total_seconds() / 60))
    who = "you" if mine else safe_label(alert["holder"], 60)
    return f"**Claimed by {who}** until {moment(end)} ({left} min left)."


def show_claiming(here: Desk, alert: Mapping[str, Any], now: datetime) -> None:
    """The buttons for an undecided alert."""
    held, me = holder_of(alert, now), here.principal.identity
    told = (alert["alert_id"], int(alert["version"]))
    if held is None:
        st.button("Claim", key="claim", shortcut="m", on_click=take, args=told, icon=":material/back_hand:",
                  help="Nobody else can decide on it until your claim ends.")  # fmt: skip
    elif held == me:
        st.button("Extend", key="claim", shortcut="m", on_click=take, args=told, icon=":material/more_time:",
                  help="Your claim starts anew.")  # fmt: skip
        st.button("Give back", key="give_back", shortcut="x", on_click=give_back, args=told, icon=":material/logout:")
    else:
        st.button("Take over", key="take_over", on_click=take, args=(*told, True), icon=":material/front_hand:",
                  help="The claim becomes yours; the history says from whom.")  # fmt: skip


def take(alert: str, version: int, takeover: bool = False) -> None:
    """Callback: claim, extend or take over."""

    def work(here: Desk) -> str:
        made = claim(here.warehouse, alert, version, principal=here.principal, takeover=takeover)
        return f"Yours until {moment(made.expires_at)}." + (" Taken over." if made.taken_from else "")

    attempt(work)


def give_back(alert: str, version: int) -> None:
    """Callback: end one's own claim."""

    def work(here: Desk) -> str:
        end_claim(here.warehouse, alert, version, principal=here.principal)
        return "Given back: it is open for everybody."

    attempt(work)
