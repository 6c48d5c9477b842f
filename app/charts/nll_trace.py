"""Token surprisal of one document with its rolling means, the burst, the change point and the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app.charts.frame import framed
from app.charts.palette import BLUE, GREY, ORANGE, PURPLE, VERMILLION, rgba
from app.components.labels import chart_label

_LOOKS = ((BLUE, "dot"), (VERMILLION, "solid"), (PURPLE, "dashdot"))


def rolling_mean(nll: Sequence[float], window: int) -> NDArray[np.float64]:
    """Means of every ``window`` tokens, float64 (m - window + 1,); the mean of everything if there are fewer."""
    values = np.asarray(nll, dtype=np.float64)
    if values.size == 0:
        return values
    if values.size < window:
        return np.asarray(values.mean(keepdims=True), dtype=np.float64)
    return np.asarray(np.lib.stride_tricks.sliding_window_view(values, window).mean(axis=1), dtype=np.float64)


def strongest(windows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The window whose burst or change exceeds its gate most; ``None`` without windows."""
    return max(windows, key=lambda w: max(w["burst"], w["change"]) / w["gate"], default=None)


def nll_trace(nll: Sequence[float], windows: Sequence[Mapping[str, Any]], tokens: Sequence[str] = ()) -> go.Figure:
    """Trace of token NLL.

    Parameters
    ----------
    nll : nats per token, the first scored token first.
    windows : per window length w: ``window``, ``gate`` (nats), ``burst``, ``burst_at`` (first token of the window with
        the largest mean), ``change``, ``change_at`` (first token after the boundary); positions may be null.
    tokens : text of the tokens for the hover, untrusted, may be empty.
    """
    places = list(range(1, len(nll) + 1))
    figure = go.Figure()
    figure.add_bar(
        x=places,
        y=list(nll),
        name="token",
        marker={"color": rgba(GREY, 0.32), "line": {"width": 0}},
        text=[chart_label(t, 24) for t in tokens] if len(tokens) == len(nll) else None,
        textposition="none",
        hovertemplate="token %{x}  %{text}<br>%{y:.2f} nats<extra></extra>",
    )
    for (colour, dash), part in zip(_LOOKS, windows, strict=False):
        means = rolling_mean(nll, part["window"])
        start = (min(part["window"], len(nll)) + 1) / 2
        figure.add_scatter(
            x=[start + i for i in range(means.size)],
            y=means.tolist(),
            mode="lines" if means.size > 1 else "markers",
            name=f"mean of {part['window']}",
            line={"color": colour, "width": 2, "dash": dash},
            hovertemplate=f"mean of {part['window']} tokens: %{{y:.2f}} nats<extra></extra>",
        )
    best = strongest(windows) if len(nll) else None
    if best is not None:
        _evidence(figure, nll, best)
    framed(figure, height=330, x="token (the first has no surprisal)", y="surprisal, nats")
    figure.update_layout(bargap=0.05)
    return figure


def _evidence(figure: go.Figure, nll: Sequence[float], part: Mapping[str, Any]) -> None:
    width = part["window"]
    means = np.sort(rolling_mean(nll, width))
    median = float(means[(means.size - 1) // 2])
    figure.add_hline(
        y=median + part["gate"],
        line={"color": ORANGE, "width": 2, "dash": "dash"},
        annotation={
            "text": f"gate: median of the means of {width} + {part['gate']:.2f} nats",
            "xanchor": "left",
            "x": 0,
        },
    )
    if part["burst_at"] is not None:
        first = part["burst_at"] + 1
        figure.add_vrect(
            x0=first - 0.5,
            x1=min(first + width, len(nll) + 1) - 0.5,
            fillcolor=rgba(ORANGE, 0.22),
            line={"color": ORANGE, "width": 1},
            annotation={"text": f"burst {part['burst']:.2f}", "yanchor": "top"},
            annotation_position="top left",
        )
    if part["change_at"] is not None:
        figure.add_vline(
            x=part["change_at"] + 0.5,
            line={"color": PURPLE, "width": 2, "dash": "dot"},
            annotation={"text": f"change {part['change']:.2f}", "yanchor": "top"},
            annotation_position="top left",
        )
