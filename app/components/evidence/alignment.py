"""Query alignment: whether one part of the document speaks to the query and its neighbour does not."""

from __future__ import annotations

import streamlit as st

from app.charts.alignment_trace import alignment_trace
from app.charts.frame import CONFIG
from app.charts.palette import TERM_COLOURS
from app.charts.tail_strip import tail_strip
from app.components.csv_export import csv_download
from app.components.evidence.reading import Candidate, characters, number
from app.components.highlights import Highlight
from app.components.untrusted_text import show_text


def alignment_sentence(found: Candidate) -> str:
    """The term in words, Markdown."""
    jump, tail = found.row.get("alignment_jump"), found.tail_jumps
    if len(found.f1) < 2 or jump is None:
        return "The document is a single window, so it cannot jump, and this term is 0."
    above = sum(1 for v in tail if v > jump)
    return (
        f"Its largest step between neighbouring windows is {number(jump)}. {above} of {len(tail)} tail documents jump "
        f"further: p_alignment = {number(found.row.get('p_alignment'))}. The term counts only where p is below 0.05."
    )


def alignment_highlights(found: Candidate) -> list[Highlight]:
    """The two windows of the jump; where they overlap, both."""
    at = found.jump_at
    if at is None or not 0 < at < len(found.spans):
        return []
    before = characters(found.token_offsets, *found.spans[at - 1])
    after = characters(found.token_offsets, *found.spans[at])
    return [
        Highlight(*before, "jump", f"F1 {found.f1[at - 1]:.2f}", "window before the jump"),
        Highlight(*after, "jump", f"F1 {found.f1[at]:.2f}", "window after the jump"),
    ]


def show_alignment(found: Candidate, text: str, *, key: str) -> None:
    """Trace and strip plot, then the text."""
    st.markdown(alignment_sentence(found))
    left, right = st.columns([2, 3], gap="medium")
    with right:
        show_text(text, alignment_highlights(found))
        st.caption("Dotted line: the two neighbouring windows with the largest difference.")
    with left:
        if found.f1:
            st.plotly_chart(alignment_trace(found.f1, found.spans, found.jump_at), config=CONFIG, key=f"{key}_trace")
        if found.row.get("alignment_jump") is not None:
            figure = tail_strip(
                found.tail_jumps,
                found.row["alignment_jump"],
                x="largest jump between windows (F1)",
                ids=found.tail_ids,
                colour=TERM_COLOURS["e_alignment"],
            )
            st.plotly_chart(figure, config=CONFIG, key=f"{key}_strip")
        rows = [
            {"window": i + 1, "first_token": span[0] + 1, "last_token": span[1], "f1": value}
            for i, (span, value) in enumerate(zip(found.spans, found.f1, strict=False))
        ]
        csv_download(rows, f"alignment_{found.row['document_id']}", key=f"{key}_csv")
