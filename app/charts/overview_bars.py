"""Figures of the overview: waiting alerts by age, decisions by week, drift of the terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from app.charts.frame import framed
from app.charts.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, TERM_NAMES, VERMILLION
from app.components.labels import chart_label

AGES: Final = ("under 1 day", "1 to 7 days", "7 to 30 days", "over 30 days")
_DETECTORS: Final = {"rsg": (BLUE, ""), "rsq": (ORANGE, "/")}
_VERDICTS: Final = {
    "quarantine": (VERMILLION, "/"),
    "keep": (GREEN, ""),
    "needs_verification": (PURPLE, "x"),
    "escalate": (ORANGE, "."),
}
_LIMITS: Final = (-0.474, -0.33, -0.147, 0.147, 0.33, 0.474)

Rows = Sequence[Mapping[str, Any]]


def ages_figure(rows: Rows) -> go.Figure:
    """Bars of waiting alerts; ``rows`` have detector, age and alerts."""
    figure = go.Figure()
    counts = {(row["detector"], row["age"]): row["alerts"] for row in rows}
    for detector in sorted({row["detector"] for row in rows}):
        colour, shape = _DETECTORS.get(detector, (GREY, "x"))
        figure.add_bar(
            x=list(AGES),
            y=[counts.get((detector, age), 0) for age in AGES],
            name=detector.upper(),
            marker={"color": colour, "pattern": {"shape": shape}},
            hovertemplate="%{y:,} alerts<extra>%{fullData.name}</extra>",
        )
    return framed(figure, height=280, x="age of a waiting alert", y="alerts")


def decisions_figure(rows: Rows) -> go.Figure:
    """Stacked bars; ``rows`` have week, verdict and decisions."""
    figure = go.Figure()
    weeks = sorted({str(row["week"]) for row in rows})
    counts = {(str(row["week"]), row["verdict"]): row["decisions"] for row in rows}
    for verdict in sorted({str(row["verdict"]) for row in rows}):
        colour, shape = _VERDICTS.get(verdict, (GREY, ""))
        figure.add_bar(
            x=weeks,
            y=[counts.get((week, verdict), 0) for week in weeks],
            name=verdict.replace("_", " "),
            marker={"color": colour, "pattern": {"shape": shape}},
            hovertemplate="week of %{x}<br>%{y:,} decisions<extra>%{fullData.name}</extra>",
        )
    framed(figure, height=280, x="week, by its Monday", y="decisions")
    figure.update_layout(barmode="stack")
    figure.update_xaxes(type="category")
    return figure


def drift_figure(rows: Rows) -> go.Figure:
    """Cliff's delta per corpus and term; dotted lines are the bounds of small, medium and large."""
    told = [row for row in rows if row["delta"] is not None]
    figure = go.Figure()
    figure.add_bar(
        x=[row["delta"] for row in told],
        y=[f"{chart_label(row['corpus'])}: {TERM_NAMES.get(row['term'], row['term'])}" for row in told],
        orientation="h",
        marker={"color": BLUE},
        customdata=[[row["size"], row["before"], row["now"]] for row in told],
        hovertemplate="delta %{x:.3f}, %{customdata[0]}<br>n = %{customdata[1]:,} before, %{customdata[2]:,} now"
        "<extra></extra>",
    )
    for limit in _LIMITS:
        figure.add_vline(x=limit, line={"color": GREY, "dash": "dot", "width": 1})
    framed(figure, height=90 + 32 * len(told), x="Cliff's delta (right: higher than before)", y="", legend=False)
    figure.update_xaxes(range=[-1, 1], zeroline=True, zerolinecolor=GREY)
    figure.update_yaxes(autorange="reversed")
    return figure
