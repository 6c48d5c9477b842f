"""Cells of an evaluation: one row per dataset, retriever and detector, one column per attack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from app.charts.frame import framed
from app.charts.palette import GREY, rgba
from app.components.labels import chart_label

ROW = ("dataset", "retriever", "detector")
_CELL = 78
_OFFSETS = (-0.4, -0.2, 0.0, 0.2, 0.4)
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
    short = {str(row["retriever"]): str(row.get("retriever_name") or row["retriever"]) for row in rows}
    # Lines instead of one long name: in a window of 1,024 pixels the cells need the width
    y = ["<br>".join(chart_label(short.get(part, part), 22) for part in name) for name in names]
    x = [_folded(chart_label(name, 22)) for name in attacks]
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
    across, down = list(range(len(x))), list(range(len(y)))
    shared: dict[str, Any] = {"x": across, "y": down, "xgap": 3, "ygap": 3, "text": text}
    figure.add_heatmap(
        z=value,
        zmin=0,
        zmax=1,
        colorscale="Cividis",
        colorbar={"title": {"text": title, "side": "right"}, "thickness": 12},
        hoverinfo="skip",
        **shared,
    )
    figure.add_heatmap(
        z=grey,
        colorscale=[[0, rgba(GREY, 0.3)], [1, rgba(GREY, 0.3)]],
        showscale=False,
        hoverinfo="skip",
        **shared,
    )
    for colour, low, high in ((INK, _DARK, 1.1), (PAPER, -0.1, _DARK), (None, None, None)):
        _write(figure, text, value, (low, high), colour)
    # A heatmap cannot be clicked; squares too faint to see can, side by side across a cell
    squares = [(row, column, offset) for row in down for column in across for offset in _OFFSETS if keys[row][column]]
    figure.add_scatter(
        x=[column + offset for _, column, offset in squares],
        y=[row for row, _, _ in squares],
        customdata=[[keys[row][column], y[row], x[column], text[row][column]] for row, column, _ in squares],
        mode="markers",
        marker={"symbol": "square", "size": _CELL - 10, "color": "rgba(0,0,0,0.004)"},
        # Plotly fades whatever is not selected
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate="%{customdata[1]}<br>%{customdata[2]}<br>%{customdata[3]}<extra></extra>",
        showlegend=False,
    )
    framed(figure, height=90 + _CELL * len(names), x="attack", y="", legend=False)
    named: dict[str, Any] = {"tickmode": "array", "showgrid": False, "ticks": ""}
    figure.update_xaxes(side="top", tickvals=across, ticktext=x, tickangle=0, range=[-0.5, len(x) - 0.5], **named)
    figure.update_yaxes(tickvals=down, ticktext=y, range=[len(y) - 0.5, -0.5], **named)
    return figure


def _write(
    figure: go.Figure,
    text: Sequence[Sequence[str]],
    value: Sequence[Sequence[float | None]],
    span: tuple[float | None, float | None],
    colour: str | None,
) -> None:
    """Print the cells whose value lies in a span in one colour; without a span, the grey ones in the theme's own."""
    low, high = span
    places = [
        (column, row, text[row][column])
        for row, line in enumerate(value)
        for column, held in enumerate(line)
        if text[row][column]
        and (held is None if low is None or high is None else held is not None and low <= held < high)
    ]
    if places:
        across, down, words = zip(*places, strict=True)
        font = {"size": 12} | ({"color": colour} if colour else {})
        kept = {"textfont": {"color": colour or GREY}}
        figure.add_scatter(
            x=across,
            y=down,
            text=words,
            mode="text",
            textfont=font,
            unselected=kept,
            hoverinfo="skip",
            showlegend=False,
        )


def _folded(name: str) -> str:
    """A name of two lines where it is long and has an underscore to break at, the one nearest to its middle."""
    breaks = [place for place, character in enumerate(name) if character == "_"]
    if len(name) <= 14 or not breaks:
        return name
    middle = min(breaks, key=lambda place: abs(place - len(name) / 2))
    return f"{name[: middle + 1]}<br>{name[middle + 1 :]}"


def cell_key(row: Mapping[str, Any]) -> str:
    """Names a cell in an address."""
    return "~".join(str(row[field]).replace("~", "-") for field in (*ROW, "attack"))


def _printed(row: Mapping[str, Any] | None, measure: str) -> str:
    if row is None:
        return ""
    if row[measure] is None:
        return f"no clean<br>{row['positives']:,} of {row['n']:,}"
    return (
        f"<b>{row[measure]:.3f}</b><br>[{row[f'{measure}_low']:.2f}, {row[f'{measure}_high']:.2f}]<br>"
        f"{row['positives']:,} of {row['n']:,}<br>({100 * row['prevalence']:.1f} %)"
    )
