"""What every figure shares: size, margins, legend above, quiet grid, no plot-side export."""

from __future__ import annotations

from typing import Any, Final

import plotly.graph_objects as go

from app.charts.palette import GREY, rgba

# Passed to st.plotly_chart: the toolbar of Plotly offers nothing that the page does not
CONFIG: Final[dict[str, Any]] = {
    "displaylogo": False,
    "displayModeBar": False,
    "scrollZoom": False,
    "doubleClick": "reset",
    "responsive": True,
}
GRID: Final = rgba(GREY, 0.22)


def framed(figure: go.Figure, *, height: int, x: str, y: str, legend: bool = True) -> go.Figure:
    """Set the common layout of ``figure`` and return it.

    Parameters
    ----------
    height : pixels.
    x, y : axis titles with unit.
    legend : whether traces are named above the plot.
    """
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 16, "t": 34 if legend else 16, "b": 8},
        showlegend=legend,
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "xanchor": "left", "title": None},
        hoverlabel={"align": "left", "namelength": -1},
        bargap=0.35,
        dragmode=False,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
    )
    figure.update_xaxes(title_text=x, gridcolor=GRID, zeroline=False, automargin=True, fixedrange=True)
    figure.update_yaxes(title_text=y, gridcolor=GRID, zeroline=False, automargin=True, fixedrange=True)
    return figure
