"""The truth track: statements of the document and people's checks of them. No score is shown or asked for here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time
from typing import Any, cast

import streamlit as st

from app.components.facts import moment
from app.components.labels import plain_label, spaced
from app.components.outcome import attempt, show_outcome
from app.components.table import show_table
from app.session import Desk
from ragsieve_core.review.truth import CHECK_KINDS, CHECK_OUTCOMES, CheckKind, CheckOutcome
from warehouse.truth import list_claims, record_check, state_claim

STATUS_ICONS = {
    "unverified": ":material/help:",
    "supported": ":material/check_circle:",
    "contradicted": ":material/cancel:",
    "out_of_date": ":material/history:",
}


def show_truth(here: Desk, alert: Mapping[str, Any]) -> None:
    """Statements with their status and checks, and a form for each kind of entry."""
    st.subheader("Is it true?")
    st.caption("Statements of the document, checked by people. No score or verdict goes in here, and none comes out.")
    show_outcome("truth")
    corpus, document = str(alert["corpus"]), str(alert["document_id"])
    claims = list_claims(here.warehouse, principal=here.principal, corpus=corpus, document_id=document)
    may = here.principal.at_least("reviewer")
    if not claims:
        st.caption("No statement was written down yet.")
    for claim in claims:
        with st.container(border=True):
            status = str(claim["status"])
            st.markdown(f"{STATUS_ICONS[status]} **{status.replace('_', ' ').capitalize()}**")
            st.text(plain_label(claim["statement"], 600))
            if claim["checks"]:
                show_table(
                    [_drawn(check) for check in claim["checks"]], {}, name="checks", key=f"csv_{claim['claim_id']}"
                )
            if may:
                with st.expander("Add a check", icon=":material/fact_check:"):
                    _check_form(str(claim["claim_id"]))
    if may:
        with st.expander("Write down a statement", icon=":material/add:"):
            key = f"statement:{alert['alert_id']}"
            st.text_area("What the document says, in one sentence", key=key, max_chars=10_000)
            st.button("Add the statement", key="state_claim", type="primary", on_click=add_statement,
                      args=(key, corpus, document))  # fmt: skip


def _drawn(check: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "checked": moment(check["checked_at"]),
        "by": plain_label(check["checker"]),
        "kind": str(check["kind"]).replace("_", " "),
        "found": check["outcome"],
        "evidence": plain_label(", ".join(check["evidence"]), 200),
        "counts until": "no end" if check["expires_at"] is None else moment(check["expires_at"]),
        "note": plain_label(check["note"], 200) if check["note"] else "",
    }


def _check_form(claim: str) -> None:
    st.selectbox("Kind of check", CHECK_KINDS, format_func=spaced, key=f"check_kind:{claim}")
    st.selectbox("It found the statement", CHECK_OUTCOMES, format_func=spaced, key=f"check_outcome:{claim}")
    st.text_area("Evidence: one link or record name a line", key=f"check_evidence:{claim}", height=68)
    st.date_input("Counts until (optional)", value=None, key=f"check_end:{claim}")
    st.text_input("Note on this check", key=f"check_note:{claim}", max_chars=2_000)
    st.button("Add the check", key=f"check_{claim}", type="primary", on_click=add_check, args=(claim,))


def add_statement(key: str, corpus: str, document: str) -> None:
    """Callback: write a statement down."""
    text = str(st.session_state.get(key) or "")

    def work(here: Desk) -> str:
        state_claim(here.warehouse, corpus, document, principal=here.principal, statement=text)
        return "Written down: unverified until somebody checks it."

    if attempt(work, place="truth"):
        st.session_state[key] = ""


def add_check(claim: str) -> None:
    """Callback: store a check."""
    asked = {
        part: st.session_state.get(f"check_{part}:{claim}") for part in ("kind", "outcome", "evidence", "end", "note")
    }
    links = [line.strip() for line in str(asked["evidence"] or "").splitlines() if line.strip()]
    end = datetime.combine(asked["end"], time.max) if asked["end"] else None

    def work(here: Desk) -> str:
        record_check(
            here.warehouse,
            claim,
            principal=here.principal,
            kind=cast(CheckKind, asked["kind"]),
            outcome=cast(CheckOutcome, asked["outcome"]),
            evidence=links,
            note=str(asked["note"] or ""),
            expires_at=end,
        )
        return f"Check stored with {len(links)} references."

    if attempt(work, place="truth"):
        for part in ("evidence", "note"):
            st.session_state[f"check_{part}:{claim}"] = ""
