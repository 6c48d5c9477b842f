"""Where a candidate's value stands among the values of its own query's tail."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from app.charts.frame import framed
from app.charts.palette import GREY, VERMILLION
from app.components.labels import chart_label


def tail_strip(
    tail: Sequence[float],
    candidate: float,
    *,
    x: str,
    ids: Sequence[str] = (),
    others: Sequence[float] = (),
    colour: str = VERMILLION,
) -> go.Figure:
    """Dot plot: tail values stacked where they are equal, the candidate as a diamond above them.

    Parameters
    ----------
    tail : values of ranks k+1 to n, any order.
    candidate : value of the candidate, same unit.
    x : axis title with unit.
    ids : document ids of the tail, in the order of ``tail``, for the hover.
    others : values of the other candidates, drawn as hollow squares.
    """
    figure = go.Figure()
    span = max([*tail, candidate, *others], default=0.0) - min([*tail, candidate, *others], default=0.0)
    figure.add_scatter(
        x=list(tail),
        y=_stacked(tail, span),
        mode="markers",
        name=f"tail ({len(tail)})",
        marker={"symbol": "circle", "size": 10, "color": GREY, "line": {"width": 1, "color": "rgba(255,255,255,0.6)"}},
        text=[chart_label(i) for i in ids] if len(ids) == len(tail) else [""] * len(tail),
        hovertemplate="tail %{text}<br>%{x:.4f}<extra></extra>",
    )
    if others:
        figure.add_scatter(
            x=list(others),
            y=[0.0] * len(others),
            mode="markers",
            name=f"other candidates ({len(others)})",
            marker={"symbol": "square-open", "size": 10, "color": colour, "line": {"width": 2, "color": colour}},
            hovertemplate="other candidate<br>%{x:.4f}<extra></extra>",
        )
    figure.add_scatter(
        x=[candidate],
        y=[0.0],
        mode="markers",
        name="this candidate",
        marker={"symbol": "diamond", "size": 16, "color": colour, "line": {"width": 2, "color": "white"}},
        hovertemplate="this candidate<br>%{x:.4f}<extra></extra>",
    )
    framed(figure, height=210, x=x, y="")
    margin = span * 0.08 or max(abs(candidate) * 0.1, 0.01)
    low = min([*tail, candidate, *others], default=0.0)
    figure.update_xaxes(range=[low - margin, low + span + margin])
    figure.update_yaxes(visible=False, range=[-1.2, max([*_stacked(tail, span), 4.0]) + 1.5])
    return figure


def _stacked(values: Sequence[float], span: float) -> list[float]:
    """Heights 1, 2, … for values that would be drawn on top of each other."""
    width = span / 60 if span > 0 else 1.0
    seen: dict[int, int] = {}
    heights = []
    for value in values:
        cell = round(value / width)
        seen[cell] = seen.get(cell, 0) + 1
        heights.append(float(seen[cell]))
    return heights
