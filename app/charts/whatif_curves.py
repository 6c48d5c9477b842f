"""Figures of a what-if: what each threshold would do, and alerts per day."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from app.charts.frame import framed
from app.charts.palette import BLUE, GREY, ORANGE, VERMILLION


def threshold_curve(
    thresholds: Sequence[float],
    flagged: Sequence[float],
    caught: Sequence[float] | None,
    removed: Sequence[float] | None,
    *,
    x: str,
    in_force: float,
    proposed: float,
) -> go.Figure:
    """Shares flagged, of planted caught, of clean removed at each threshold; lines mark the two settings."""
    figure = go.Figure()
    lines = [("all flagged", flagged, GREY, "dot")]
    lines += [("planted caught", caught, VERMILLION, "solid")] if caught is not None else []
    lines += [("clean removed", removed, BLUE, "dash")] if removed is not None else []
    for name, values, colour, dash in lines:
        figure.add_scatter(
            x=list(thresholds),
            y=list(values),
            mode="lines",
            name=name,
            line={"color": colour, "width": 2.5, "dash": dash},
            hovertemplate=f"threshold %{{x:.3f}}<br>{name} %{{y:.4f}}<extra></extra>",
        )
    # A cut of 0 is switched off
    if in_force:
        where = {"color": GREY, "width": 1.5}
        figure.add_vline(x=in_force, line=where, annotation_text="in force", annotation_position="bottom left")
    if proposed and proposed != in_force:
        where = {"color": ORANGE, "width": 2.5, "dash": "dashdot"}
        figure.add_vline(x=proposed, line=where, annotation_text="proposed", annotation_position="top right")
    framed(figure, height=330, x=f"threshold ({x})", y="share of candidates or documents")
    figure.update_yaxes(range=[-0.02, 1.05])
    return figure


def volume_per_day(in_force: Sequence[int], proposed: Sequence[int]) -> go.Figure:
    """Flagged items by age in days, today at the right."""
    figure = go.Figure()
    days = [-age for age in range(len(in_force))]
    for name, counts, colour, shape in (("in force", in_force, GREY, ""), ("proposed", proposed, ORANGE, "/")):
        figure.add_bar(
            x=days,
            y=list(counts),
            name=f"{name} ({sum(counts):,})",
            marker={"color": colour, "pattern": {"shape": shape}},
            hovertemplate="day %{x}<br>%{y:,} flagged<extra></extra>",
        )
    framed(figure, height=260, x="days ago", y="flagged")
    figure.update_layout(barmode="group")
    return figure
