"""What the warehouse holds and what is waiting, in one look."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.components.facts import age, moment
from app.components.labels import plain_label
from app.components.recall_note import show_recall_note
from app.components.sharing import show_sharing
from app.components.table import number_column
from app.pages_map import QUEUE, page_file
from app.session import desk
from warehouse.corpora import Corpus, list_corpora
from warehouse.freshness import Freshness, corpus_freshness
from warehouse.ids import utc_now
from warehouse.overview import overview
from warehouse.scans import list_scans

COUNTS = (
    ("open_alerts", "Open alerts", "Alerts that wait for a decision: open or claimed."),
    ("documents", "Documents", "Current documents over all corpora."),
    ("scans", "Scans", "Finished scans."),
    ("events", "Retrieval events", "Queries answered or replayed, each with its ranking as it was."),
    ("candidates", "Candidates", "Candidates of those events that RSQ looked at."),
)


def main() -> None:
    """Counts, alerts by detector, corpora and the last scans."""
    here = desk()
    counts = overview(here.warehouse, principal=here.principal)
    st.title("Overview")
    if not counts.get("documents"):
        empty()
        st.subheader("Other processes")
        show_sharing(here)
        return
    with st.container(horizontal=True):
        for field, label, meaning in COUNTS:
            st.metric(label, f"{counts.get(field, 0):,}", help=meaning, width=165, border=True)
    candidates, flagged = counts.get("candidates", 0), counts.get("flagged_candidates", 0)
    if candidates:
        share = flagged / candidates
        st.caption(f"RSQ flagged {flagged:,} of n = {candidates:,} candidates ({share:.1%}). A flag is triage.")
    show_recall_note(here)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Alerts")
        alerts(counts["alerts_by"])
    with right:
        st.subheader("Corpora")
        corpora(
            list_corpora(here.warehouse, principal=here.principal),
            corpus_freshness(here.warehouse, principal=here.principal),
        )
    st.subheader("Other processes")
    show_sharing(here)
    st.subheader("Last scans")
    scans(list_scans(here.warehouse, principal=here.principal, limit=10))
    if counts["states"]:
        st.subheader("Retrieval events by state")
        states(counts["states"])


def empty() -> None:
    """What to do with an empty warehouse."""
    st.info("The warehouse is empty. Take in documents, scan them, then replay rankings.", icon=":material/database:")
    commands = ("ingest --corpus NAME DOCUMENTS.jsonl", "scan --corpus NAME", "replay CONTEXTS.jsonl --corpus NAME")
    st.code("\n".join(f"ragsieve {command}" for command in commands), language=None)


def corpora(found: list[Corpus], fresh: list[Freshness]) -> None:
    """Corpora with their current size, and how much of each no scan has seen yet."""
    by_corpus = {entry.corpus_id: entry for entry in fresh}
    rows = []
    for corpus in found:
        entry = by_corpus.get(corpus.corpus_id)
        hours = entry.oldest_hours if entry else None
        rows.append(
            {
                "corpus": plain_label(corpus.name),
                "documents": corpus.documents,
                "unscanned": entry.unscanned if entry else 0,
                "oldest": age(hours) if hours is not None else None,
                "admission": corpus.admission.replace("_", " "),
            }
        )
    columns = {
        "unscanned": number_column("unscanned", "Current documents whose text no finished RSG scan has scored."),
        "oldest": st.column_config.TextColumn("oldest unscanned", help="Age of the oldest of them."),
        "admission": st.column_config.TextColumn("admission", help="When a new document may be retrieved."),
    }
    st.dataframe(
        rows, hide_index=True, height="content" if len(rows) <= 8 else 320, column_config=columns, placeholder="–"
    )


def alerts(found: list[dict[str, Any]]) -> None:
    """Alerts by detector and status, with the age of the oldest."""
    if not found:
        st.caption("None yet.")
        return
    now = utc_now()
    rows = [
        {
            "detector": row["detector"].upper(),
            "status": row["status"].replace("_", " "),
            "alerts": row["alerts"],
            "oldest": age((now - row["oldest"]).total_seconds() / 3600),
        }
        for row in found
    ]
    st.dataframe(rows, hide_index=True, height="content")
    st.page_link(page_file(QUEUE), label="Open the queue", icon=":material/inbox:")


def scans(found: list[dict[str, Any]]) -> None:
    """The latest scans, failed ones with their reason."""
    if not found:
        st.caption("No scan yet: `ragsieve scan --corpus NAME`.")
        return
    rows = [
        {
            "finished": moment(row["finished_at"]),
            "corpus": plain_label(row["corpus"]),
            "detector": row["detector"].upper(),
            "rule": plain_label(row["rule"], 30),
            "documents": row["documents"],
            "flagged": row["flagged"],
            "share": row["flagged"] / row["documents"] if row["documents"] else None,
            "seconds": row["seconds"],
            "state": row["state"].replace("_", " "),
            "error": plain_label(row["error"], 200) if row["error"] else "",
        }
        for row in found
    ]
    columns = {
        "share": st.column_config.NumberColumn("share flagged", format="percent", help="Flagged of documents."),
        "seconds": number_column("seconds", "Wall time of the scan itself.", digits=1),
    }
    st.dataframe(rows, hide_index=True, height="content", column_config=columns, placeholder="–")


def states(found: list[dict[str, Any]]) -> None:
    """Events by state with their latency."""
    rows = [
        {"state": row["state"].replace("_", " "), "events": row["events"], "latency": row["latency_p95_ms"]}
        for row in found
    ]
    columns = {"latency": number_column("P95 latency, ms", "95th percentile of the time of an answer.", digits=1)}
    st.dataframe(rows, hide_index=True, height="content", column_config=columns, placeholder="–")


main()
