"""What the warehouse holds, what waits, what moved and what runs, in one look."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.components.labels import plain_label
from app.components.overview.figures import COMMAND, show_ages, show_decisions, show_drift, show_rates, show_reach
from app.components.overview.running import show_alerts, show_corpora, show_gate, show_health, show_states
from app.components.recall_note import show_recall_note
from app.components.sharing import show_sharing
from app.pages_map import QUEUE, page_file
from app.session import desk
from warehouse.corpora import list_corpora
from warehouse.freshness import corpus_freshness
from warehouse.overview import overview
from warehouse.overview_figures import overview_figures
from warehouse.scans import list_scans

COUNTS = (
    ("open_alerts", "Open alerts", "Alerts that wait for a decision: open or claimed."),
    ("documents", "Documents", "Current documents over all corpora."),
    ("scans", "Scans", "Finished scans."),
    ("events", "Retrieval events", "Queries answered or replayed, each with its ranking as it was."),
    ("candidates", "Candidates", "Candidates of those events that RSQ looked at."),
)


def main() -> None:
    """Counts, work, rates, drift, what runs, and the last scans."""
    here = desk()
    counts = overview(here.warehouse, principal=here.principal)
    st.title("Overview")
    if not counts.get("documents"):
        empty()
        st.subheader("Other processes")
        show_sharing(here)
        return
    totals(counts)
    show_recall_note(here)
    found = overview_figures(here.warehouse, principal=here.principal)
    left, right = st.columns(2, gap="large")
    with left:
        show_ages(found["ages"])
        show_reach(found["reach"])
        st.page_link(page_file(QUEUE), label="Open the queue", icon=":material/inbox:")
    with right:
        show_decisions(found["decisions"])
    show_rates(found["rates"], found["days"])
    left, right = st.columns(2, gap="large")
    with left:
        show_alerts(counts["alerts_by"])
        show_states(counts["states"])
    with right:
        show_corpora(
            list_corpora(here.warehouse, principal=here.principal),
            corpus_freshness(here.warehouse, principal=here.principal),
        )
    show_gate(found["gate"], found["days"])
    show_health(found["health"], list_scans(here.warehouse, principal=here.principal, limit=10), found["days"])
    show_drift(found["drift"])
    st.subheader("Other processes")
    show_sharing(here)
    st.caption("The same numbers from the command line:")
    st.code(plain_label(COMMAND), language=None)


def totals(counts: dict[str, Any]) -> None:
    """The large numbers, and the share that RSQ flagged."""
    with st.container(horizontal=True):
        for field, label, meaning in COUNTS:
            st.metric(label, f"{counts.get(field, 0):,}", help=meaning, width=165, border=True)
    candidates, flagged = counts.get("candidates", 0), counts.get("flagged_candidates", 0)
    if candidates:
        share = flagged / candidates
        st.caption(f"RSQ flagged {flagged:,} of n = {candidates:,} candidates ({share:.1%}). A flag is triage.")


def empty() -> None:
    """What to do with an empty warehouse."""
    st.info("The warehouse is empty. Take in documents, scan them, then replay rankings.", icon=":material/database:")
    commands = ("ingest --corpus NAME DOCUMENTS.jsonl", "scan --corpus NAME", "replay CONTEXTS.jsonl --corpus NAME")
    st.code("\n".join(f"ragsieve {command}" for command in commands), language=None)


main()
