"""The verdict: what, why, a note, and whether it is in force at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import streamlit as st

from app.components.deciding import words
from app.components.deciding.moving_on import NOTHING_LEFT, claim_next, go_to
from app.components.outcome import attempt, short
from app.session import Desk
from ragsieve_core.errors import InputError, RagsieveError
from ragsieve_core.review.approval import second_person_for
from ragsieve_core.review.workflow import REASONS, VERDICTS, Reason, Verdict
from warehouse.decisions import decide
from warehouse.desk_policy import review_policy

SHORTCUTS = {"quarantine": "q", "keep": "k", "needs_verification": "v", "escalate": "e"}


def second_person(here: Desk, alert: Mapping[str, Any]) -> list[str]:
    """Why a quarantine of this alert would wait for somebody else, in words; empty where it would not."""
    if here.single_user:
        return []
    policy = review_policy(here.warehouse, principal=here.principal)
    reach, size, tier = int(alert["in_context"]), int(alert["campaign_size"]), int(alert["tier"])
    causes = second_person_for(policy, contexts=reach, campaign_size=size, tier=tier, alone_today=0)
    told = {
        "reach": f"it got into {reach} answers (limit {policy.alone_contexts})",
        "campaign": f"its campaign has {size} members (limit {policy.alone_campaign})",
        "risk_tier": f"its risk tier is {tier} (limit {policy.alone_tier})",
    }
    return [told.get(cause, cause) for cause in causes]


def show_verdict(here: Desk, alert: Mapping[str, Any], seen: Mapping[str, object], *, locked: str = "") -> None:
    """Draw the form. ``locked`` says why nothing can be decided now; what is typed stays."""
    name = str(alert["alert_id"])
    chosen = st.session_state.get(f"verdict:{name}", "")
    with st.container(horizontal=True):
        for verdict in VERDICTS:
            st.button(
                words.VERDICTS[verdict],
                key=f"verdict_{verdict}",
                shortcut=SHORTCUTS[verdict],
                icon=words.VERDICT_ICONS[verdict],
                type="primary" if verdict == chosen else "secondary",
                help=words.VERDICT_MEANS[verdict],
                on_click=choose,
                args=(name, verdict),
            )
    if not chosen:
        st.caption("Choose a verdict; then give the reason.")
        return
    causes = second_person(here, alert) if chosen == "quarantine" else []
    st.caption(_consequence(chosen, causes))
    # Drawn after other parts of the page a key is forgotten; the copy beside it is not
    st.session_state.setdefault(f"reason:{name}", words.LIKELY[chosen])
    reason, note = st.columns([2, 3])
    reason.selectbox("Reason", REASONS, format_func=words.REASONS.__getitem__, key=f"reason:{name}")
    note.text_area(
        "Note", key=f"note:{name}", height=68, max_chars=10_000, placeholder="What you checked, and what convinced you"
    )
    at_once = False
    if chosen == "quarantine" and not causes:
        at_once = st.toggle(
            "Put in force at once", value=True, key=f"at_once:{name}",
            help="Needs no second person. Off: it is only recorded, and takes effect when an approver says so.",
        )  # fmt: skip
    told = (name, int(alert["version"]), dict(seen), at_once)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Save and next", key="save_next", type="primary", shortcut="n", icon=":material/arrow_forward:",
                  disabled=bool(locked), on_click=save, args=(*told, True),
                  help="Save, then claim and open the next open alert of the queue you came from.")  # fmt: skip
        st.button("Save", key="save", shortcut="s", icon=":material/check:", disabled=bool(locked),
                  on_click=save, args=(*told, False))  # fmt: skip
        if locked:
            st.caption(locked, width="content")


def _consequence(chosen: str, causes: list[str]) -> str:
    if not causes:
        return words.VERDICT_MEANS[chosen]
    return f"Waits for a second person: {'; '.join(causes)}. The document stays in retrieval until then."


def choose(alert: str, verdict: str) -> None:
    """Callback: take a verdict up, with its likely reason."""
    st.session_state[f"verdict:{alert}"] = verdict
    st.session_state[f"reason:{alert}"] = words.LIKELY[verdict]


def save(alert: str, version: int, seen: dict[str, object], at_once: bool, onwards: bool) -> None:
    """Callback: store the verdict; only then what was typed is let go."""
    kept = {part: st.session_state.get(f"{part}:{alert}") for part in ("verdict", "reason", "note")}

    def work(here: Desk) -> str:
        if not kept["verdict"] or not kept["reason"]:
            raise InputError("no verdict is chosen", where="verdict", do="choose one, then save")
        done = decide(
            here.warehouse,
            alert,
            version,
            principal=here.principal,
            verdict=cast(Verdict, kept["verdict"]),
            reason=cast(Reason, kept["reason"]),
            note=str(kept["note"] or ""),
            seen=seen,
            at_once=at_once,
        )
        text = f"Saved: {words.state(done.status, done.verdict, done.reason)}."
        if done.quarantine_id:
            text += f" Quarantine version {short(done.quarantine_id)} is in force."
        if not onwards:
            return text
        return f"{text} {_onwards(here, alert)}"

    if attempt(work, alert=alert if onwards else ""):
        for part in ("verdict", "reason", "note", "at_once"):
            st.session_state.pop(f"{part}:{alert}", None)


def _onwards(here: Desk, alert: str) -> str:
    try:
        following = claim_next(here, without={alert})
    except RagsieveError:
        # The verdict is stored: what comes after it must not look like its refusal
        following = None
    if following is None:
        return NOTHING_LEFT
    go_to(following)
    return "This is the next one, claimed for you."
