"""One act on many alerts: on which, what, counted before, then applied as one recorded job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from app.components import queue_pick, url_state
from app.components.deciding import words
from app.components.deciding.bulk_jobs import begin
from app.components.labels import plain_label
from app.components.outcome import attempt
from app.components.queue_pick import Purpose
from app.components.queue_view import View
from app.session import Desk
from ragsieve_core.review.workflow import REASONS, VERDICTS
from warehouse.alerts import QueueFilter
from warehouse.bulk import ACTS, BulkAct, BulkPreview, preview, undo_of

SCOPES: Final = {"selection": "Ticked rows", "filter": "This whole view", "campaign": "One campaign"}
ACT_WORDS: Final = {
    "decide": "Give a verdict",
    "undo": "Undo the last decision",
    "redo": "Redo what was undone",
    "reopen": "Reopen",
}
_PENDING: Final = "bulk_pending"


@dataclass(frozen=True, slots=True)
class Scope:
    """On which alerts; exactly one of the three is set."""

    alerts: tuple[str, ...] = ()
    filters: QueueFilter | None = None
    campaign: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """A counted act that nobody applied yet. ``asked`` is what was asked for; None for the undoing of a job."""

    act: BulkAct
    counted: BulkPreview
    asked: object = None


def show_scopes() -> Purpose:
    """The choice on which alerts to act; returns what ticks in the table mean then."""
    scope = url_state.one_of("bulk", list(SCOPES))
    st.segmented_control(
        "Act on many", list(SCOPES), format_func=SCOPES.__getitem__, key="bulk", on_change=url_state.keep,
        args=("bulk",), label_visibility="collapsed",
        help="One act on many alerts: counted first, then applied as one recorded job that can be undone.",
    )  # fmt: skip
    return "leave_out" if scope in ("filter", "campaign") else "select"


def show_bulk(here: Desk, view: View, total: int) -> None:
    """The panel of the chosen scope, and what was counted."""
    pending: Pending | None = st.session_state.get(_PENDING)
    name = url_state_scope()
    if name:
        with st.container(border=True, key="bulk_panel"):
            scope = _scope(name, view, total)
            if scope is not None:
                act = _act_form()
                st.button("Count what it would do", key="bulk_count", icon=":material/calculate:", on_click=count,
                          args=(act, scope))  # fmt: skip
                if pending is not None and pending.asked == (act, scope):
                    show_pending(pending)
                elif pending is not None and pending.asked is not None:
                    st.caption("You changed something since it was counted: count again.")
    if pending is not None and pending.asked is None:
        with st.container(border=True):
            st.markdown("**Undo a whole job**")
            show_pending(pending)


def url_state_scope() -> str:
    """The scope that the address names; empty for none."""
    name = st.query_params.get("bulk", "")
    return name if name in SCOPES else ""


def _scope(name: str, view: View, total: int) -> Scope | None:
    if name == "selection":
        chosen = queue_pick.picked("select")
        if not chosen:
            st.markdown("**Ticked rows.** Tick *select* in the table below; ticks stay while you page and filter.")
            return None
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{len(chosen):,} ticked alerts**", width="content")
            st.button("Untick all", key="bulk_clear", type="tertiary", on_click=queue_pick.clear, args=("select",))
        return Scope(alerts=tuple(chosen))
    of = view.filters.campaign if name == "campaign" else view.filters
    queue_pick.leave_out_of(of)
    left_out = queue_pick.picked("leave_out")
    with st.container(horizontal=True, vertical_alignment="center"):
        if name == "filter":
            st.markdown(f"**All {total:,} alerts of this view**, on every page", width="content")
        elif view.filters.campaign:
            st.markdown("**Every alert of the campaign**, whatever its status:", width="content")
            st.text(plain_label(view.filters.campaign, 80))
        else:
            st.markdown(
                "**One campaign.** Open one: *Decide for the campaign* on an alert's neighbourhood, or its id under "
                "*More filters*."
            )
            return None
        st.markdown(f"· {len(left_out):,} left out (tick *leave out* below)", width="content")
        if left_out:
            st.button(
                "Leave none out", key="bulk_clear", type="tertiary", on_click=queue_pick.clear, args=("leave_out",)
            )
    if name == "filter":
        return Scope(filters=view.filters, left_out=tuple(left_out))
    return Scope(campaign=view.filters.campaign, left_out=tuple(left_out))


def _act_form() -> dict[str, Any]:
    """What to do, as the arguments of a :class:`BulkAct`, which is made when it is counted."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        act = st.selectbox("What to do", ACTS, format_func=ACT_WORDS.__getitem__, key="bulk_act", width=190)
        if act != "decide":
            return {"act": act}
        verdict = st.selectbox(
            "Verdict", VERDICTS, format_func=words.VERDICTS.__getitem__, key="bulk_verdict", width=180
        )
        reason = st.selectbox("Reason", REASONS, format_func=words.REASONS.__getitem__, key="bulk_reason", width=260)
        note = st.text_input("Note", key="bulk_note", max_chars=10_000, width=260)
        at_once = False
        if verdict == "quarantine":
            at_once = st.checkbox(
                "In force at once", value=True, key="bulk_at_once",
                help="Where no second person is needed. The others wait for approval.",
            )  # fmt: skip
    return {"act": act, "verdict": verdict, "reason": reason, "note": note, "at_once": at_once}


def count(asked: dict[str, Any], scope: Scope) -> None:
    """Callback: count what the act would do; nothing is changed."""

    def work(here: Desk) -> str:
        act = BulkAct(**asked)
        counted = preview(
            here.warehouse,
            act,
            principal=here.principal,
            alerts=scope.alerts,
            filters=scope.filters,
            campaign=scope.campaign,
            exceptions=scope.left_out,
        )
        st.session_state[_PENDING] = Pending(act, counted, (asked, scope))
        return "Counted. Nothing is changed yet."

    if not attempt(work):
        st.session_state.pop(_PENDING, None)


def count_undo(job: str) -> None:
    """Callback: count what taking a job back would do."""

    def work(here: Desk) -> str:
        st.session_state[_PENDING] = Pending(BulkAct("undo"), undo_of(here.warehouse, job, principal=here.principal))
        return "Counted. Nothing is changed yet."

    attempt(work)


def show_pending(pending: Pending) -> None:
    """Counts by outcome, and the two ways on."""
    counted = pending.counted
    ordered = sorted(counted.outcomes.items(), key=lambda item: (item[0].startswith("refused:"), item[0]))
    refused = sum(number for name, number in ordered if name.startswith("refused:"))
    st.markdown(
        f"**{len(counted.items) - refused:,} of {len(counted.items):,} alerts would change**, {refused:,} would be "
        f"refused, {counted.exceptions:,} left out. Their texts got into {counted.contexts:,} recorded answers; "
        f"{len(counted.tenants):,} tenants, {len(counted.corpora):,} corpora."
    )
    st.markdown("\n".join(f"- {number:,} × {_outcome(name)}" for name, number in ordered))
    with st.container(horizontal=True):
        st.button(
            f"Apply to {len(counted.items):,} alerts", key="bulk_apply", type="primary", on_click=apply,
            icon=":material/playlist_add_check:", disabled=refused == len(counted.items),
        )  # fmt: skip
        st.button("Do nothing", key="bulk_discard", on_click=discard)


def _outcome(name: str) -> str:
    reason = name.removeprefix("refused:")
    return words.status(name) if reason == name else f"refused: {words.refusal(reason)} (`{reason}`)"


def apply() -> None:
    """Callback: store the counted act as a job and start working on it."""
    pending: Pending | None = st.session_state.get(_PENDING)
    if pending is None:
        return
    if begin(pending.act, pending.counted):
        st.session_state.pop(_PENDING, None)
        queue_pick.clear("select")
        queue_pick.clear("leave_out")
        st.query_params.pop("bulk", None)


def discard() -> None:
    """Callback: forget what was counted."""
    st.session_state.pop(_PENDING, None)
