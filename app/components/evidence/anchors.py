"""Answer anchors: tokens that stand in the candidates and not in the tail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.csv_export import csv_download
from app.components.evidence.reading import Candidate, number
from app.components.highlights import Highlight
from app.components.labels import plain_label, safe_label
from app.components.untrusted_text import show_text
from ragsieve_core.text.words import word_spans


def anchor_sentence(found: Candidate, n: int, k: int) -> str:
    """The strongest token in words, Markdown."""
    tokens = sorted(found.anchors, key=lambda t: t["p"])
    if not tokens:
        return "No token of this document stands in two or more candidates, so this term is 0."
    best = tokens[0]
    return (
        f"{safe_label(best['token'], 40)} stands in **{best['x']} of {k}** candidates and in "
        f"**{best['K'] - best['x']} of {n - k}** tail documents: p = {number(best['p'], 4)}. "
        f"Together its {len(tokens)} tested tokens give p_anchor = {number(found.row.get('p_anchor'), 4)}."
    )


def anchor_highlights(text: str, anchors: Sequence[Mapping[str, Any]], n: int, k: int) -> list[Highlight]:
    """Every place of a tested token in ``text``."""
    known = {t["token"]: t for t in anchors}
    return [
        Highlight(
            start,
            end,
            "anchor",
            note=f"in {known[word]['x']} of {k} candidates, {known[word]['K'] - known[word]['x']} of {n - k} tail documents, "
            f"p = {number(known[word]['p'], 4)}",
        )
        for word, start, end in word_spans(text)
        if word in known
    ]


def show_anchors(found: Candidate, text: str, n: int, k: int, *, key: str) -> None:
    """Table of the tested tokens beside the text."""
    st.markdown(anchor_sentence(found, n, k))
    table, body = st.columns([2, 3], gap="medium")
    with body:
        show_text(text, anchor_highlights(text, found.anchors, n, k))
        st.caption("Underlined: a token that was tested. Hover for its numbers.")
    if not found.anchors:
        return
    tokens = sorted(found.anchors, key=lambda t: (t["p"], t["token"]))
    rows = [
        {"token": plain_label(t["token"], 40), "x": t["x"], "tail": t["K"] - t["x"], "K": t["K"], "p": t["p"]}
        for t in tokens
    ]
    with table:
        st.dataframe(
            rows,
            hide_index=True,
            height=min(420, 38 + 35 * len(rows)),
            column_config={
                "token": st.column_config.TextColumn("token"),
                "x": st.column_config.NumberColumn(f"of {k} cand.", help="x: candidates that hold the token."),
                "tail": st.column_config.NumberColumn(f"of {n - k} tail", help="Tail documents that hold the token."),
                "K": None,
                "p": st.column_config.NumberColumn(
                    "p", format="%.5f", help="P[Hypergeom(n, K, k) ≥ x]: chance that x or more of the K holders are candidates."
                ),
            },
        )
        csv_download(rows, f"anchors_{found.row['document_id']}", key=f"{key}_csv")
