"""How far sources and contributors are trusted, and how much harm a wrong text would do."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from app.components import url_state
from app.components.facts import moment
from app.components.labels import apart, plain_label
from app.components.outcome import attempt
from app.components.table import number_column, show_table, text_column
from app.session import Desk
from warehouse.corpora import list_corpora
from warehouse.provenance import TIERS, TRUSTS, admit, risk_history, set_risk_tier, set_trust, trust_history

_KINDS: Final = {"source": "source (prefix of its address)", "contributor": "contributor"}
_TIERS: Final = {1: "1 · low", 2: "2 · medium", 3: "3 · high"}


def show_trust(here: Desk) -> None:
    """One corpus: statements of trust, risk tiers, and documents that wait for admission."""
    names = [corpus.name for corpus in list_corpora(here.warehouse, principal=here.principal)]
    if not names:
        st.info("No corpus yet: take documents in first.", icon=":material/database:")
        return
    corpus = str(url_state.one_of("corpus", names, names[0]))
    st.selectbox(
        "Corpus",
        names,
        format_func=apart(names),
        key="corpus",
        on_change=url_state.keep,
        args=("corpus", names[0]),
        width=260,
    )
    st.caption(
        "Both raise or lower the severity of alerts, which orders the queue. Neither flags or clears a document."
    )
    _trust(here, corpus)
    _risk(here, corpus)
    admission = next(c.admission for c in list_corpora(here.warehouse, principal=here.principal) if c.name == corpus)
    if admission == "after_review":
        _admission(corpus)


def _trust(here: Desk, corpus: str) -> None:
    st.subheader("Trust")
    found = trust_history(here.warehouse, corpus, principal=here.principal)
    if found:
        show_table(
            [
                {"kind": row["kind"], "name": plain_label(row["name"], 160), "trust": row["trust"]} | _stated(row)
                for row in found
            ],
            {"name": text_column("name", width=300), "note": text_column("note", width=240)},
            name="trust",
            key="trust_csv",
            most=6,
        )
    else:
        st.caption("Nothing said yet: every source counts as neutral.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Of a", list(_KINDS), format_func=_KINDS.__getitem__, key="trust_kind", width=230)
        st.text_input("Name", key="trust_name", placeholder="https://archive.example/", max_chars=500, width=280)
        st.selectbox("Trust", TRUSTS, 1, key="trust_chosen", width=140)
        st.text_input("Why", key="trust_note", max_chars=500, width=200)
        st.button("Say so", icon=":material/save:", key="trust_go", on_click=_set_trust, args=(corpus,))


def _set_trust(corpus: str) -> None:
    def work(here: Desk) -> str:
        chosen = st.session_state["trust_chosen"]
        set_trust(
            here.warehouse,
            corpus,
            st.session_state["trust_kind"],
            st.session_state.get("trust_name", "").strip(),
            chosen,
            principal=here.principal,
            note=st.session_state.get("trust_note", ""),
        )
        st.session_state["trust_name"] = ""
        return f"Said: {chosen}. The severities of this corpus are worked out anew."

    attempt(work)


def _risk(here: Desk, corpus: str) -> None:
    st.subheader("Risk")
    found = risk_history(here.warehouse, corpus, principal=here.principal)
    if found:
        show_table(
            [
                {"of": plain_label(row["document_id"], 120) if row["document_id"] else "the whole corpus"}
                | {"tier": row["tier"]}
                | _stated(row)
                for row in found
            ],
            {"of": text_column("of", width=280), "tier": number_column("tier", "1 low to 3 high.", width=60)}
            | {"note": text_column("note", width=240)},
            name="risk",
            key="risk_csv",
            most=6,
        )
    else:
        st.caption("Nothing said yet: tier 1.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Harm of a wrong text", TIERS, format_func=_TIERS.__getitem__, key="risk_tier", width=180)
        st.text_input("Only of this document", key="risk_document", placeholder="the whole corpus", width=260)
        st.text_input("Why", key="risk_note", max_chars=500, width=240)
        st.button("Set the tier", icon=":material/save:", key="risk_go", on_click=_set_risk, args=(corpus,))


def _set_risk(corpus: str) -> None:
    def work(here: Desk) -> str:
        tier = st.session_state["risk_tier"]
        set_risk_tier(
            here.warehouse,
            corpus,
            tier,
            principal=here.principal,
            document_id=st.session_state.get("risk_document", "").strip(),
            note=st.session_state.get("risk_note", ""),
        )
        st.session_state["risk_document"] = ""
        return f"Tier {tier} is set. The severities of this corpus are worked out anew."

    attempt(work)


def _admission(corpus: str) -> None:
    st.subheader("Admit documents")
    st.caption("New documents of this corpus are retrieved once somebody admitted them.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_area("Ids, one a line", key="admit_documents", max_chars=100_000, width=360, height=90)
        st.text_input("Why", key="admit_note", max_chars=500, width=240)
        st.button("Admit them", icon=":material/check:", key="admit_go", on_click=_admit, args=(corpus,))


def _admit(corpus: str) -> None:
    def work(here: Desk) -> str:
        wanted = [line.strip() for line in st.session_state.get("admit_documents", "").splitlines() if line.strip()]
        admit(here.warehouse, corpus, wanted, principal=here.principal, note=st.session_state.get("admit_note", ""))
        st.session_state["admit_documents"] = ""
        return f"{len(wanted):,} documents are admitted."

    attempt(work)


def _stated(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "in force": "yes" if row["in_force"] else "no",
        "said": moment(row["acted_at"]),
        "by": plain_label(row["actor"]),
        "note": plain_label(row["note"], 200),
    }
