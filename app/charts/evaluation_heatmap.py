"""Cells of an evaluation: one row per dataset, retriever and detector, one column per attack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from app.charts.frame import framed
from app.charts.palette import GREY, rgba
from app.components.labels import chart_label

ROW = ("dataset", "retriever", "detector")
_CELL = 66
INK, PAPER = "#101820", "#FFFFFF"
_DARK = 0.55
"""Value below which the colour scale is dark, so that what stands on it must be light."""


def evaluation_heatmap(rows: Sequence[Mapping[str, Any]], measure: str, title: str) -> go.Figure:
    """Heatmap of a measure in [0, 1]; every cell prints value, interval, planted of n, and prevalence.

    A cell below 20 planted documents is grey: its interval says nearly nothing. One that nobody measured is empty.

    Parameters
    ----------
    rows : cells of one population, as :func:`app.services.evaluating.cell_row` gives them.
    measure : ``auroc`` or ``detection_at_…``.
    title : of the colour bar.
    """
    names = sorted({tuple(str(row[field]) for field in ROW) for row in rows})
    attacks = sorted({str(row["attack"]) for row in rows}, key=lambda name: (name == "all", name))
    held = {(tuple(str(row[field]) for field in ROW), str(row["attack"])): row for row in rows}
    y = [" · ".join(chart_label(part, 22) for part in name) for name in names]
    x = [chart_label(name, 22) for name in attacks]
    value: list[list[float | None]] = []
    grey: list[list[float | None]] = []
    text: list[list[str]] = []
    keys: list[list[str]] = []
    for name in names:
        line = [held.get((name, attack)) for attack in attacks]
        value.append([None if row is None or row["few_positives"] else row[measure] for row in line])
        grey.append(
            [0.0 if row is not None and (row["few_positives"] or row[measure] is None) else None for row in line]
        )
        text.append([_printed(row, measure) for row in line])
        keys.append(["" if row is None else cell_key(row) for row in line])
    figure = go.Figure()
    shared: dict[str, Any] = {"x": x, "y": y, "xgap": 3, "ygap": 3, "text": text}
    figure.add_heatmap(
        z=value,
        zmin=0,
        zmax=1,
        colorscale="Cividis",
        colorbar={"title": {"text": title, "side": "right"}, "thickness": 12},
        hovertemplate="%{y}<br>%{x}<br>%{text}<extra></extra>",
        **shared,
    )
    figure.add_heatmap(
        z=grey,
        colorscale=[[0, rgba(GREY, 0.3)], [1, rgba(GREY, 0.3)]],
        showscale=False,
        hovertemplate="%{y}<br>%{x}<br>%{text}<br>fewer than 20 planted documents<extra></extra>",
        **shared,
    )
    for colour, low, high in ((INK, _DARK, 1.1), (PAPER, -0.1, _DARK), (None, None, None)):
        _write(figure, x, y, text, value, (low, high), colour)
    # A heatmap cannot be clicked; squares too faint to see can
    figure.add_scatter(
        x=[one for _ in y for one in x],
        y=[one for one in y for _ in x],
        customdata=[[key] for line in keys for key in line],
        mode="markers",
        marker={"symbol": "square", "size": _CELL - 10, "color": "rgba(0,0,0,0.004)"},
        hoverinfo="skip",
        showlegend=False,
    )
    framed(figure, height=90 + _CELL * len(names), x="attack", y="", legend=False)
    figure.update_xaxes(side="top", type="category", showgrid=False)
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False)
    return figure


def _write(
    figure: go.Figure,
    x: Sequence[str],
    y: Sequence[str],
    text: Sequence[Sequence[str]],
    value: Sequence[Sequence[float | None]],
    span: tuple[float | None, float | None],
    colour: str | None,
) -> None:
    """Print the cells whose value lies in a span in one colour; without a span, the grey ones in the theme's own."""
    low, high = span
    places = [
        (x[column], y[row], text[row][column])
        for row, line in enumerate(value)
        for column, held in enumerate(line)
        if text[row][column]
        and (held is None if low is None or high is None else held is not None and low <= held < high)
    ]
    if places:
        across, down, words = zip(*places, strict=True)
        font = {"size": 12} | ({"color": colour} if colour else {})
        figure.add_scatter(x=across, y=down, text=words, mode="text", textfont=font, hoverinfo="skip", showlegend=False)


def cell_key(row: Mapping[str, Any]) -> str:
    """Names a cell in an address."""
    return "~".join(str(row[field]).replace("~", "-") for field in (*ROW, "attack"))


def _printed(row: Mapping[str, Any] | None, measure: str) -> str:
    if row is None:
        return ""
    if row[measure] is None:
        return f"no clean<br>{row['positives']:,} of {row['n']:,}"
    return (
        f"<b>{row[measure]:.3f}</b> [{row[f'{measure}_low']:.2f}, {row[f'{measure}_high']:.2f}]<br>"
        f"{row['positives']:,} of {row['n']:,} ({100 * row['prevalence']:.1f} %)"
    )
