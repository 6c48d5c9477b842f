"""Closeness of a document's windows to the query, and the jump between two neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from app.charts.frame import framed
from app.charts.palette import GREY, PURPLE, rgba


def alignment_trace(f1: Sequence[float], windows: Sequence[Sequence[int]], jump_at: int | None) -> go.Figure:
    """Trace of BERTScore F1 per window.

    Parameters
    ----------
    f1 : one value per window, -1 to 1.
    windows : token span [start, end) of each window.
    jump_at : index of the second window of the pair with the largest difference; null with fewer than two windows.
    """
    places = [(start + end) / 2 for start, end in windows]
    spans = [f"tokens {start + 1} to {end}" for start, end in windows]
    figure = go.Figure()
    figure.add_scatter(
        x=places,
        y=list(f1),
        mode="lines+markers",
        name="window",
        line={"color": GREY, "width": 2},
        marker={"size": 9, "color": GREY},
        text=spans,
        hovertemplate="%{text}<br>F1 = %{y:.3f}<extra></extra>",
    )
    if jump_at is not None and 0 < jump_at < len(f1):
        pair = slice(jump_at - 1, jump_at + 1)
        height = abs(f1[jump_at] - f1[jump_at - 1])
        figure.add_scatter(
            x=places[pair],
            y=list(f1[pair]),
            mode="lines+markers",
            name=f"jump {height:.3f}",
            line={"color": PURPLE, "width": 5},
            marker={"size": 13, "color": PURPLE, "symbol": "diamond"},
            text=spans[pair],
            hovertemplate="%{text}<br>F1 = %{y:.3f}<extra></extra>",
        )
        figure.add_vrect(
            x0=places[jump_at - 1], x1=places[jump_at], fillcolor=rgba(PURPLE, 0.15), line={"width": 0}, layer="below"
        )
    return framed(figure, height=280, x="token (middle of the window)", y="F1 with the query")
