"""The remediation track: what was done at the document's source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import streamlit as st

from app.components.facts import moment
from app.components.labels import plain_label, spaced
from app.components.outcome import attempt, show_outcome
from app.components.table import show_table
from app.session import Desk
from warehouse.remediation import REMEDY_STEPS, RemedyStep, list_remedies, record_remedy


def show_remedies(here: Desk, alert: Mapping[str, Any]) -> None:
    """Steps so far, and a form for one more."""
    st.subheader("At the source")
    st.caption("Quarantine helps here; only its source can mend the document. Written down by people.")
    show_outcome("remedy")
    corpus, document = str(alert["corpus"]), str(alert["document_id"])
    steps = list_remedies(here.warehouse, principal=here.principal, corpus=corpus, document_id=document)
    if steps:
        rows = [
            {
                "when": moment(row["acted_at"]),
                "who": plain_label(row["actor"]),
                "step": spaced(row["step"]),
                "evidence": plain_label(", ".join(row["evidence"]), 200) if row["evidence"] else "",
                "note": plain_label(row["note"], 300) if row["note"] else "",
            }
            for row in steps
        ]
        show_table(rows, {}, name="remediation", key="remedy_csv", most=6)
    else:
        st.caption("Nothing was done at the source yet, as far as anybody wrote down.")
    if not here.principal.at_least("reviewer"):
        return
    with st.expander("Write down a step", icon=":material/add:"):
        name = str(alert["alert_id"])
        st.selectbox("Step", REMEDY_STEPS, format_func=spaced, key=f"remedy_step:{name}")
        st.text_area("References, one a line (optional)", key=f"remedy_evidence:{name}", height=68)
        st.text_input("Note on this step", key=f"remedy_note:{name}", max_chars=2_000)
        st.button("Add the step", key="remedy", type="primary", on_click=add_step, args=(name, corpus, document))


def add_step(alert: str, corpus: str, document: str) -> None:
    """Callback: store a step."""
    step = cast(RemedyStep, st.session_state.get(f"remedy_step:{alert}"))
    links = [
        one.strip() for one in str(st.session_state.get(f"remedy_evidence:{alert}") or "").splitlines() if one.strip()
    ]
    note = str(st.session_state.get(f"remedy_note:{alert}") or "")

    def work(here: Desk) -> str:
        record_remedy(here.warehouse, corpus, document, step, principal=here.principal, evidence=links, note=note)
        return f"Written down: {spaced(step)}."

    if attempt(work, place="remedy"):
        for part in ("evidence", "note"):
            st.session_state[f"remedy_{part}:{alert}"] = ""
