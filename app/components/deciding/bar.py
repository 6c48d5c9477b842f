"""The decision bar: where the alert stands, and what this person can do about it now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.components.deciding import words
from app.components.deciding.approving import show_approving
from app.components.deciding.claiming import holder_line, holder_of, show_claiming
from app.components.deciding.holding import show_holding
from app.components.deciding.keys import show_keys
from app.components.deciding.moving_on import NOTHING_LEFT, claim_next, go_to, pass_over
from app.components.deciding.undoing import show_undoing
from app.components.deciding.verdict import show_verdict
from app.components.facts import moment
from app.components.labels import safe_label
from app.components.outcome import attempt, show_outcome
from app.session import Desk
from ragsieve_core.review.workflow import UNDECIDED, status_at
from warehouse.alert_state import state_of
from warehouse.ids import utc_now


def show_bar(here: Desk, alert: Mapping[str, Any], seen: Mapping[str, object]) -> None:
    """Draw the bar of one alert. ``seen`` is stored with a verdict: what was on the screen."""
    now, me = utc_now(), here.principal.identity
    status = status_at(state_of(alert), now)
    undecided = status in UNDECIDED
    with st.container(border=True, key="decision_bar"):
        show_outcome()
        with st.container(horizontal=True, vertical_alignment="center"):
            if status != "claimed":
                state = words.state(status, alert["verdict"], alert["reason"])
                st.markdown(f"**{state.capitalize()}**", width="content")
            line = holder_line(alert, now, me) if undecided else _settled(alert)
            if line:
                st.markdown(line, width="content")
            if here.principal.at_least("reviewer"):
                if undecided:
                    show_claiming(here, alert, now)
                show_undoing(here, alert)
            st.button("Next open alert", key="next", shortcut="j", icon=":material/skip_next:", on_click=onwards,
                      args=(str(alert["alert_id"]),), help="Without a verdict on this one.")  # fmt: skip
            show_keys("alert")
        if not here.principal.at_least("reviewer"):
            st.caption("You may look. Deciding needs the role reviewer; an admin gives it.")
        elif undecided:
            held = holder_of(alert, now)
            show_verdict(here, alert, seen, locked=_locked(held, me))
        elif status == "waiting" or (status == "decided" and alert["verdict"] == "quarantine"):
            show_approving(here, alert)
        elif status == "in_force":
            st.caption("Out of retrieval. *Undo* takes it back; release, roll-back and canary: Quarantine versions.")
        if status == "decided" and here.principal.at_least("reviewer"):
            with st.expander("Give another verdict"):
                show_verdict(here, alert, seen)
        show_holding(here, alert, undecided=undecided)


def _settled(alert: Mapping[str, Any]) -> str:
    return f"by {safe_label(alert['state_actor'], 60)}, {moment(alert['state_at'])}."


def _locked(held: str | None, me: str) -> str:
    if held is None or held == me:
        return ""
    return f"{safe_label(held, 60)} holds it: wait, or take it over."


def onwards(alert: str) -> None:
    """Callback: pass this alert over and open the next, claimed."""

    def work(here: Desk) -> str:
        pass_over(alert)
        following = claim_next(here, without={alert})
        if following is None:
            return NOTHING_LEFT
        go_to(following)
        return "The next open alert, claimed for you."

    attempt(work)
