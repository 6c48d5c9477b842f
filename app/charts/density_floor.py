"""The neighbours of a document against the floor of its own neighbourhood: what RSG's density is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from app.charts.frame import framed
from app.charts.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, rgba
from app.components.labels import chart_label

# reason -> (shown name, symbol, colour); a symbol of its own for each, so that colour is never alone
REASONS = {
    "": ("retained", "circle", BLUE),
    "retained": ("retained", "circle", BLUE),
    "below_cosine": ("rejected: cosine too low", "x", GREY),
    "above_jaccard": ("rejected: words too alike", "square-open", ORANGE),
    "below_cosine_and_above_jaccard": ("rejected: both", "star-open", PURPLE),
    "same_source": ("left out: same source", "triangle-up-open", GREEN),
    "copy": ("left out: a copy", "square-open", ORANGE),
    "outside_group": ("outside the group", "x", GREY),
}

_HOVER = "%{text}<br>cosine %{y:.4f}<br>Jaccard %{customdata[0]:.3f}<br>%{customdata[1]}<extra></extra>"


def reason_name(reason: str, retained: bool) -> tuple[str, str, str]:
    """Shown name, symbol and colour of a neighbour's fate; an unknown reason is shown as it is."""
    if retained:
        return REASONS["retained"]
    return REASONS.get(
        reason.casefold(), (f"rejected: {chart_label(reason.replace('_', ' ').casefold())}", "diamond-open", GREY)
    )


def density_floor(
    neighbors: Sequence[Mapping[str, Any]],
    floor: float,
    *,
    cosine_cut: float | None = None,
    strongest: int = 4,
) -> go.Figure:
    """Cosine of all neighbours, nearest first.

    Parameters
    ----------
    neighbors : rows with ``position`` (1 = nearest), ``document_id``, ``cosine`` (-1 to 1), ``jaccard`` (0 to 1),
        ``retained`` and ``reason``.
    floor : b_i, the cosine of the farthest neighbour.
    cosine_cut : tau_e; a neighbour below it is not retained.
    strongest : h_G, how many retained neighbours the mean mu_i is over.
    """
    rows = sorted(neighbors, key=lambda row: row["position"])
    figure = go.Figure()
    retained = [row["cosine"] for row in rows if row["retained"]][:strongest]
    if retained:
        mean = sum(retained) / len(retained)
        figure.add_hrect(y0=floor, y1=mean, fillcolor=rgba(BLUE, 0.12), line={"width": 0}, layer="below")
        figure.add_hline(
            y=mean,
            line={"color": BLUE, "width": 2, "dash": "dot"},
            annotation={
                "text": f"mean of the strongest {len(retained)} retained: {mean:.3f}",
                "xanchor": "right",
                "x": 1,
            },
        )
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(reason_name(row["reason"], row["retained"]), []).append(row)
    for (name, symbol, colour), members in groups.items():
        figure.add_scatter(
            x=[row["position"] for row in members],
            y=[row["cosine"] for row in members],
            mode="markers",
            name=f"{name} ({len(members)})",
            marker={"symbol": symbol, "size": 11, "color": colour, "line": {"width": 2, "color": colour}},
            text=[chart_label(row["document_id"]) for row in members],
            customdata=[[row["jaccard"], name] for row in members],
            hovertemplate=_HOVER,
        )
    figure.add_hline(
        y=floor,
        line={"color": VERMILLION, "width": 2},
        annotation={"text": f"floor {floor:.3f}", "yanchor": "top", "xanchor": "left", "x": 0, "yshift": -2},
    )
    if cosine_cut is not None:
        figure.add_hline(
            y=cosine_cut,
            line={"color": GREEN, "width": 2, "dash": "dash"},
            annotation={"text": f"cut {cosine_cut:g}", "xanchor": "left", "x": 0},
        )
    framed(figure, height=360, x="neighbour, nearest first", y="cosine")
    figure.update_xaxes(range=[0.4, max(2, len(rows)) + 0.6], dtick=1 if len(rows) <= 20 else None)
    return figure
