"""Answer anchors: tokens that stand in the candidates and not in the tail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.evidence.reading import Candidate, number
from app.components.highlights import Highlight
from app.components.labels import plain_label, safe_label
from app.components.table import number_column, show_table
from app.components.untrusted_text import show_text
from ragsieve_core.text.words import word_spans


def anchor_sentence(found: Candidate, n: int, k: int) -> str:
    """The strongest token in words, Markdown."""
    tokens = sorted(found.anchors, key=lambda t: (t["p"], t["token"]))
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
    notes = {
        t[
            "token"
        ]: f"in {t['x']} of {k} candidates, {t['K'] - t['x']} of {n - k} tail documents, p = {number(t['p'], 4)}"
        for t in anchors
    }
    return [Highlight(a, b, "anchor", note=notes[word]) for word, a, b in word_spans(text) if word in notes]


def show_anchors(found: Candidate, text: str, n: int, k: int, *, key: str) -> None:
    """Table of the tested tokens beside the text."""
    st.markdown(anchor_sentence(found, n, k))
    table, body = st.columns([2, 3], gap="medium")
    with body:
        show_text(text, anchor_highlights(text, found.anchors, n, k))
        st.caption("Underlined: a token that was tested. Hover for its numbers.")
    if not found.anchors:
        return
    rows = [
        {"token": plain_label(t["token"], 40), "x": t["x"], "tail": t["K"] - t["x"], "K": t["K"], "p": t["p"]}
        for t in sorted(found.anchors, key=lambda t: (t["p"], t["token"]))
    ]
    columns = {
        "x": number_column(f"of {k} cand.", "x: candidates that hold the token."),
        "tail": number_column(f"of {n - k} tail", "Tail documents that hold the token."),
        "K": None,
        "p": number_column("p", "P[Hypergeom(n, K, k) ≥ x]: chance that x or more holders are candidates.", digits=5),
    }
    with table:
        show_table(rows, columns, name=f"anchors_{found.row['document_id']}", key=f"{key}_csv")
