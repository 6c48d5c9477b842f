"""The gate, scans, corpora and events: tables of what runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.facts import age, moment
from app.components.labels import plain_label
from app.components.scan_history import scan_row
from app.components.table import number_column, show_table
from warehouse.corpora import Corpus
from warehouse.freshness import Freshness

Rows = Sequence[Mapping[str, Any]]


def _share(label: str, help_text: str) -> Any:
    return st.column_config.NumberColumn(label, format="percent", help=help_text)


def show_gate(rows: Rows, days: int) -> None:
    """Tail contamination, fallback and latency by source of events."""
    st.subheader(f"Answers, last {days} days")
    if not rows:
        st.caption("No event in this time.")
        return
    columns = {
        "tail_contaminated": None,
        "fallback": None,
        "tail_contaminated_rate": _share("tail contaminated", "Part of the tail was itself suspect: RSQ may miss."),
        "fallback_rate": _share("fallback", "Answered without RSQ: unscored, not in force, or an error."),
        "partly_unscored": number_column("partly unscored", "RSQ said nothing of some of their documents."),
        "latency_p50_ms": number_column("P50, ms", "Median time of an answer.", digits=1),
        "latency_p95_ms": number_column("P95, ms", "95th percentile of the time of an answer.", digits=1),
    }
    show_table(rows, columns, name="answers", key="gate_csv")


def show_health(rows: Rows, last: Sequence[dict[str, Any]], days: int) -> None:
    """Failed scans, the age of the last finished one, and the latest scans themselves."""
    st.subheader("Scan health")
    if not rows:
        st.caption("No scan yet: `ragsieve scan --corpus NAME`.")
        return
    named = [
        {
            "corpus": plain_label(row["corpus"]),
            "detector": row["detector"].upper(),
            "finished": row["finished"],
            "failed": row["failed"],
            "last": row["last_status"],
            "age": None if row["last_finished_hours"] is None else age(row["last_finished_hours"]),
            "failed_at": moment(row["last_failed_at"]),
        }
        for row in rows
    ]
    columns = {
        "finished": number_column(f"finished in {days} d"),
        "failed": number_column(f"failed in {days} d"),
        "age": st.column_config.TextColumn("age of the last finished"),
        "failed_at": st.column_config.TextColumn("last failure"),
    }
    show_table(named, columns, name="scan-health", key="health_csv")
    columns = {"share": _share("share flagged", "Flagged of documents."), "scan": None, "by": None}
    columns["seconds"] = number_column("seconds", "Wall time of the scan itself.", digits=1)
    show_table([scan_row(row) for row in last], columns, name="last-scans", key="scans_csv")


def show_corpora(found: Sequence[Corpus], fresh: Sequence[Freshness]) -> None:
    """Corpora with their current size, and how much of each no scan has seen yet."""
    st.subheader("Corpora and freshness")
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
    show_table(rows, columns, name="corpora", key="corpora_csv")


def show_alerts(found: Rows) -> None:
    """Alerts by detector and status."""
    st.subheader("Alerts by status")
    if not found:
        st.caption("None yet.")
        return
    rows = [
        {"detector": row["detector"].upper(), "status": row["status"].replace("_", " "), "alerts": row["alerts"]}
        for row in found
    ]
    show_table(rows, {}, name="alerts", key="alerts_csv")


def show_states(found: Rows) -> None:
    """Events by state with their latency, over all time."""
    if not found:
        return
    st.subheader("Retrieval events by state")
    rows = [
        {"state": row["state"].replace("_", " "), "events": row["events"], "latency": row["latency_p95_ms"]}
        for row in found
    ]
    columns = {"latency": number_column("P95 latency, ms", "95th percentile of the time of an answer.", digits=1)}
    show_table(rows, columns, name="states", key="states_csv")
