"""Where a document comes from, which versions it had, which queries it reached, and what was done so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.definitions import definition
from app.components.evidence.ranking import fate
from app.components.facts import facts_html, moment
from app.components.labels import plain_label
from app.components.table import number_column, show_table, text_column


def show_provenance(document: Mapping[str, Any]) -> None:
    """Labelled facts of the flagged version."""
    facts = {
        "Document": document.get("document_id"),
        "Title": document.get("title"),
        "Source": document.get("source_uri"),
        "Contributor": document.get("contributor"),
        "Tenant": document.get("tenant"),
        "Corpus": document.get("corpus"),
        "Batch": document.get("batch_label") or document.get("batch_id"),
        "Parent": document.get("parent"),
        "Licence": document.get("licence"),
        "Ingested": moment(document.get("ingested_at")),
        "Version": document.get("version_no"),
        "Content hash (SHA-256)": document.get("content_hash"),
    }
    st.html(facts_html(facts))


def show_versions(versions: Sequence[Mapping[str, Any]], flagged: int, *, key: str) -> None:
    """All versions of the document, the flagged one marked."""
    rows = [
        {
            "version": row["version_no"],
            "flagged": row["version_id"] == flagged,
            "ingested_at": moment(row["ingested_at"]),
            "title": plain_label(row["title"]),
            "source_uri": plain_label(row["source_uri"]),
            "contributor": plain_label(row["contributor"]),
            "characters": len(row["text"]),
            "content_hash": row["content_hash"][:12],
            "ended": plain_label(row["tombstone_reason"]) if row["tombstone_reason"] else "",
        }
        for row in versions
    ]
    columns = {
        "flagged": st.column_config.CheckboxColumn("this alert", help="The version that was flagged first."),
        "ingested_at": text_column("ingested"),
        "title": text_column("title", width=260),
        "source_uri": text_column("source", width=200),
        "characters": number_column("characters", "Length of the body."),
        "content_hash": text_column("content hash", "First 12 digits of SHA-256 over title and text."),
        "ended": text_column("ended", "Why the document was gone after this version."),
    }
    show_table(rows, columns, name=f"versions_{flagged}", key=f"{key}_csv")


def show_reach(totals: Mapping[str, Any], reach: Sequence[Mapping[str, Any]], *, key: str) -> None:
    """Counts over all recorded events, and the latest of them."""
    if not reach:
        st.caption("No recorded retrieval event ranked this text. `ragsieve replay` and the gate record them.")
        return
    counts = (
        ("Retrieved", "retrieved", definition("retrieved")),
        ("In context", "in_context", definition("in_context")),
        ("Queries", "queries", "Different query texts among those events."),
        ("Best rank", "best_rank", definition("rank")),
    )
    with st.container(horizontal=True, gap="large"):
        for label, field, meaning in counts:
            st.metric(label, totals.get(field, "–"), help=meaning, width="content")
    rows = [
        {
            "occurred_at": moment(row["occurred_at"]),
            "query": plain_label(row["query_text"], 120),
            "query_id": plain_label(row["query_id"]),
            "rank": row["rank"],
            "fate": fate(row),
            "tenant": plain_label(row["tenant"]),
            "state": row["state"].replace("_", " "),
        }
        # Answers it got into first, then where it stood highest
        for row in sorted(reach, key=lambda row: (not row["in_context"], row["rank"]))
    ]
    columns = {
        "occurred_at": text_column("when"),
        "query_id": text_column("query id"),
        "rank": number_column("rank", definition("rank")),
        "fate": text_column("fate", "Whether the final context held it, or what took it out.", width=85),
        "state": text_column("state", "State of the whole answer, for instance a contaminated tail."),
    }
    show_table(rows, columns, name="reach", key=f"{key}_csv", most=6)


def show_history(history: Sequence[Mapping[str, Any]], *, key: str) -> None:
    """What happened to the alert, oldest first."""
    rows = [
        {
            "when": moment(row["acted_at"]),
            "who": plain_label(row["actor"]),
            "what": row["kind"].replace("_", " "),
            "status": row["status"] or "",
            "score": row["score"],
            "from": row["scan_id"] or row["event_id"] or "",
            "reason": plain_label(row["reason"]) if row["reason"] else "",
            "note": plain_label(row["note"], 200) if row["note"] else "",
        }
        for row in history
    ]
    columns = {
        "score": number_column("score", definition("score"), digits=2),
        "from": text_column("evidence", "Scan or retrieval event."),
    }
    show_table(rows, columns, name="history", key=f"{key}_csv", most=6)
