"""Surprisal: where a language model finds the text improbable, and where its style breaks."""

from __future__ import annotations

import streamlit as st

from app.charts.frame import CONFIG
from app.charts.nll_trace import nll_trace, strongest
from app.components.csv_export import csv_download
from app.components.evidence.reading import Candidate, characters, number
from app.components.highlights import Highlight
from app.components.labels import plain_label
from app.components.table import number_column
from app.components.untrusted_text import show_text

_COLUMNS = {
    "window": number_column("window", "Length of the rolling mean, tokens."),
    "burst": number_column("burst", "Largest rolling mean − their median, nats.", digits=2),
    "change": number_column("change", "Largest step between neighbouring means, nats.", digits=2),
    "gate": number_column("gate", "τ_w: below it nothing counts, nats.", digits=2),
}


def surprisal_sentence(found: Candidate) -> str:
    """The term in words, Markdown."""
    best = strongest(found.windows) if found.nll else None
    if best is None:
        return "No token was scored, so this term is 0."
    value, gate, width = max(best["burst"], best["change"]), best["gate"], best["window"]
    what = (
        f"a stretch of {width} tokens stands {number(value, 2)} nats above the document's median"
        if best["burst"] >= best["change"]
        else f"two neighbouring stretches of {width} tokens differ by {number(value, 2)} nats"
    )
    outcome = (
        f"that is {number(value / gate, 2)} times the gate of {number(gate, 2)} nats, so the term is "
        f"{number(found.row.get('e_surprisal'), 2)}"
        if value > gate
        else f"that is below the gate of {number(gate, 2)} nats, so the term is 0"
    )
    if found.calibrated and value > gate:
        outcome = (
            f"that is {number(value / gate, 2)} times the gate of {number(gate, 2)} nats. What lies beyond 1.5 times "
            f"the gate counts double, so the term is {number(found.row.get('e_surprisal'), 2)}"
        )
    return f"Strongest evidence: {what}; {outcome}. It depends on the document alone."


def surprisal_highlights(found: Candidate) -> list[Highlight]:
    """The burst, and the stretches before and after the change point, of the strongest window length."""
    best = strongest(found.windows) if found.nll else None
    if best is None:
        return []
    width, first, place = best["window"], best["burst_at"], best["change_at"]
    marks = []
    if first is not None:
        span = characters(found.nll_offsets, first, first + width)
        marks.append(Highlight(*span, "burst", f"burst {best['burst']:.2f}", f"most surprising {width} tokens"))
    if place is not None:
        before = characters(found.nll_offsets, place - width, place)
        after = characters(found.nll_offsets, place, place + width)
        marks.append(Highlight(*before, "change", "", f"{width} tokens before the change point"))
        marks.append(Highlight(*after, "change", f"change {best['change']:.2f}", f"{width} tokens after it"))
    return marks


def show_surprisal(found: Candidate, text: str, *, key: str) -> None:
    """Trace, windows table and text."""
    st.markdown(surprisal_sentence(found))
    if not found.nll:
        show_text(text)
        return
    known = len(found.nll_offsets) == len(found.nll)
    tokens = [text[a:b] for a, b in found.nll_offsets] if known else []
    st.plotly_chart(nll_trace(found.nll, found.windows, tokens), config=CONFIG, key=f"{key}_trace")
    left, right = st.columns([2, 3], gap="medium")
    with right:
        show_text(text, surprisal_highlights(found))
        st.caption("Line above: the burst (solid) and the stretches on both sides of the change point (dashed).")
    with left:
        rows = [{name: w[name] for name in ("window", "burst", "change", "gate")} for w in found.windows]
        st.dataframe(rows, hide_index=True, height="content", column_config=_COLUMNS)
        trace = [
            {"token": i + 1, "text": plain_label(tokens[i], 60) if known else "", "nll_nats": value}
            for i, value in enumerate(found.nll)
        ]
        csv_download(trace, f"surprisal_{found.row['document_id']}", key=f"{key}_csv")
