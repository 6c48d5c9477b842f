"""Figures of one evaluation cell: ROC, detection against clean removal, score histograms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app.charts.frame import framed
from app.charts.palette import BLUE, GREY, VERMILLION, rgba
from ragsieve_core.evaluate.curves import Roc

Floats = NDArray[np.float64]


def roc_figure(curve: Roc, caught: float, removed: float) -> go.Figure:
    """ROC; the diamond is the rule's own threshold."""
    figure = go.Figure()
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", name="chance", line={"color": GREY, "dash": "dot"})
    figure.add_scatter(
        x=curve.false_positive,
        y=curve.true_positive,
        mode="lines",
        name="detector",
        line={"color": BLUE, "width": 2.5},
        customdata=curve.threshold,
        hovertemplate="score ≥ %{customdata:.4f}<br>clean removed %{x:.4f}<br>caught %{y:.4f}<extra></extra>",
    )
    figure.add_scatter(
        x=[removed],
        y=[caught],
        mode="markers",
        name="its own threshold",
        marker={"symbol": "diamond", "size": 13, "color": VERMILLION, "line": {"width": 2, "color": "white"}},
        hovertemplate="own threshold<br>clean removed %{x:.4f}<br>caught %{y:.4f}<extra></extra>",
    )
    return framed(figure, height=320, x="clean removed (share)", y="planted caught (share)")


def budget_figure(budgets: Sequence[float], detection: Floats) -> go.Figure:
    """Detection at each clean-removal budget, logarithmic."""
    figure = go.Figure()
    figure.add_scatter(
        x=[100 * one for one in budgets],
        y=detection,
        mode="lines+markers",
        line={"color": BLUE, "width": 2.5, "shape": "hv"},
        marker={"size": 6},
        hovertemplate="budget %{x:.2g} %<br>detected %{y:.4f}<extra></extra>",
    )
    framed(figure, height=320, x="clean-removal budget (%)", y="planted detected (share)", legend=False)
    figure.update_xaxes(type="log")
    figure.update_yaxes(range=[-0.02, 1.02])
    return figure


def histogram_figure(edges: Floats, poison: NDArray[np.int64], clean: NDArray[np.int64]) -> go.Figure:
    """Shares of planted and clean documents by score; hatched bars are planted."""
    middle, width = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    figure = go.Figure()
    for name, counts, colour, shape in (("clean", clean, GREY, ""), ("planted", poison, VERMILLION, "/")):
        figure.add_bar(
            x=middle,
            y=counts / max(1, int(counts.sum())),
            width=width,
            name=f"{name} (n = {int(counts.sum()):,})",
            marker={"color": rgba(colour, 0.6), "pattern": {"shape": shape}, "line": {"width": 1, "color": colour}},
            customdata=counts,
            hovertemplate="score %{x:.3f}<br>%{customdata:,} documents (%{y:.2%})<extra></extra>",
        )
    framed(figure, height=320, x="score", y="share of its kind")
    figure.update_layout(barmode="overlay", bargap=0)
    return figure
