"""Surprisal: where a language model finds the text improbable, and where its style breaks."""

from __future__ import annotations

import streamlit as st

from app.charts.frame import CONFIG
from app.charts.nll_trace import nll_trace, strongest
from app.components.csv_export import csv_download
from app.components.evidence.reading import Candidate, characters, number
from app.components.highlights import Highlight
from app.components.labels import plain_label
from app.components.untrusted_text import show_text


def surprisal_sentence(found: Candidate) -> str:
    """The term in words, Markdown."""
    best = strongest(found.windows) if found.nll else None
    if best is None:
        return "No token was scored, so this term is 0."
    kind = "burst" if best["burst"] >= best["change"] else "change"
    value = max(best["burst"], best["change"])
    what = (
        f"a stretch of {best['window']} tokens stands {number(value, 2)} nats above the document's median"
        if kind == "burst"
        else f"two neighbouring stretches of {best['window']} tokens differ by {number(value, 2)} nats"
    )
    gate = best["gate"]
    outcome = (
        f"that is {number(value / gate, 2)} times the gate of {number(gate, 2)} nats, so the term is "
        f"**{number(found.row.get('e_surprisal'), 2)}**."
        if value > gate
        else f"that is below the gate of {number(gate, 2)} nats, so the term is **0**."
    )
    return f"Strongest evidence: {what}; {outcome} It depends on the document alone."


def surprisal_highlights(found: Candidate) -> list[Highlight]:
    """The burst, and the stretches before and after the change point, of the strongest window length."""
    best = strongest(found.windows) if found.nll else None
    if best is None:
        return []
    width, marks = best["window"], []
    if best["burst_at"] is not None:
        start, end = characters(found.nll_offsets, best["burst_at"], best["burst_at"] + width)
        marks.append(Highlight(start, end, "burst", label=f"burst {best['burst']:.2f}", note=f"most surprising {width} tokens"))
    if best["change_at"] is not None:
        place = best["change_at"]
        before = characters(found.nll_offsets, place - width, place)
        after = characters(found.nll_offsets, place, place + width)
        marks.append(Highlight(*before, "change", note=f"{width} tokens before the change point"))
        marks.append(Highlight(*after, "change", label=f"change {best['change']:.2f}", note=f"{width} tokens after it"))
    return marks


def show_surprisal(found: Candidate, text: str, *, key: str) -> None:
    """Trace, windows table and text."""
    st.markdown(surprisal_sentence(found))
    if not found.nll:
        show_text(text)
        return
    tokens = [text[a:b] for a, b in found.nll_offsets] if len(found.nll_offsets) == len(found.nll) else []
    st.plotly_chart(nll_trace(found.nll, found.windows, tokens), config=CONFIG, key=f"{key}_trace")
    left, right = st.columns([2, 3], gap="medium")
    with right:
        show_text(text, surprisal_highlights(found))
        st.caption("Line above: the burst (solid) and the stretches on both sides of the change point (dashed).")
    with left:
        rows = [
            {"window": w["window"], "burst": w["burst"], "change": w["change"], "gate": w["gate"]} for w in found.windows
        ]
        st.dataframe(
            rows,
            hide_index=True,
            column_config={
                "window": st.column_config.NumberColumn("window", help="Length of the rolling mean, tokens."),
                "burst": st.column_config.NumberColumn("burst", format="%.2f", help="Largest rolling mean − their median, nats."),
                "change": st.column_config.NumberColumn("change", format="%.2f", help="Largest step between neighbouring means, nats."),
                "gate": st.column_config.NumberColumn("gate", format="%.2f", help="τ_w: below it nothing counts, nats."),
            },
        )
        trace = [
            {"token": i + 1, "text": plain_label(tokens[i], 60) if tokens else "", "nll_nats": value}
            for i, value in enumerate(found.nll)
        ]
        csv_download(trace, f"surprisal_{found.row['document_id']}", key=f"{key}_csv")
