"""The ranking an alert comes from: candidates, tail, and any of their texts with the anchor tokens in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.definitions import definition
from app.components.evidence.anchors import anchor_highlights
from app.components.evidence.reading import Candidate
from app.components.labels import plain_label
from app.components.table import number_column, show_table, text_column
from app.components.untrusted_text import show_text
from ragsieve_core.document import document_text

_COLUMNS = {
    "rank": number_column("rank", definition("rank"), width=45),
    "role": text_column(
        "role",
        "Candidates are scored against the tail; the guard between them is on neither side; spares are for refill.",
        width=80,
    ),
    "document_id": text_column("document", width=110),
    "score": number_column("score", definition("score"), digits=2, width=60),
    "v_script": number_column("v_script", definition("v_script"), digits=3, width=66),
    "alignment_jump": number_column("jump", definition("alignment_jump"), digits=3, width=60),
    "similarity": number_column("similarity", "The retriever's own score.", digits=3, width=75),
    "fate": text_column("fate", "Whether the final context held it, or what took it out.", width=85),
    "title": text_column("title", width=160),
    "source_uri": text_column("source", width=160),
}


def ranking_rows(ranking: Sequence[Mapping[str, Any]], candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """All ranked documents; what the tail has no score for is empty."""
    scored = {other.row["document_id"]: other for other in candidates}
    tail: dict[str, tuple[float, float]] = {}
    for other in candidates[:1]:
        tail = dict(zip(other.tail_ids, zip(other.tail_script, other.tail_jumps, strict=False), strict=False))
    guard = {name for other in candidates[:1] for name in other.guard_ids}
    rows = []
    for ranked in ranking:
        found = scored.get(ranked["document_id"])
        values = tail.get(ranked["document_id"], (None, None))
        rows.append(
            {
                "rank": ranked["rank"],
                "role": "candidate"
                if found
                else "tail"
                if ranked["document_id"] in tail
                else "guard"
                if ranked["document_id"] in guard
                else "spare",
                "document_id": plain_label(ranked["document_id"]),
                "score": found.row["score"] if found else None,
                "v_script": found.row["v_script"] if found else values[0],
                "alignment_jump": found.row["alignment_jump"] if found else values[1],
                "similarity": ranked["similarity"],
                "fate": fate(ranked),
                "title": plain_label(ranked["title"]),
                "source_uri": plain_label(ranked["source_uri"]),
            }
        )
    return rows


def fate(ranked: Mapping[str, Any]) -> str:
    """What became of a ranked document: in the context, or what took it out; empty where it was just not reached."""
    if ranked["in_context"]:
        return "in context"
    return f"out: {plain_label(ranked['removed_by'], 20)}" if ranked["removed_by"] else ""


def show_ranking(
    ranking: Sequence[Mapping[str, Any]],
    candidates: Sequence[Candidate],
    chosen: Candidate,
    n: int,
    k: int,
    *,
    key: str,
) -> None:
    """Table of the ranking, and a reader for the text of any of them."""
    table, reader = st.columns([3, 2], gap="medium")
    with table:
        rows = ranking_rows(ranking, candidates)
        show_table(rows, _COLUMNS, name=f"ranking_{chosen.row['event_id']}", key=f"{key}_csv", most=12)
    with reader:
        others = {other["rank"]: other for other in ranking if other["document_id"] != chosen.row["document_id"]}
        if not others:
            return
        rank = st.selectbox(
            "Read another document of this ranking",
            list(others),
            format_func=lambda rank: f"{rank} · {plain_label(others[rank]['document_id'], 50)}",
            key=f"{key}_other",
        )
        picked = others[rank]
        if picked["text"] is None:
            st.caption("The text of this document was not recorded.")
            return
        text = document_text(picked["text"], picked["title"])
        show_text(text, anchor_highlights(text, chosen.anchors, n, k), height=320)
        st.caption("Underlined: the anchor tokens of the flagged candidate, here too.")
