"""The four terms of RSQ as stacked bars against the threshold, one bar per candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from app.charts.frame import framed
from app.charts.palette import GREY, TERM_COLOURS, TERM_NAMES, TERM_PATTERNS, VERMILLION, rgba
from app.components.labels import chart_label


def four_terms(candidates: Sequence[Mapping[str, Any]], threshold: float, chosen: str = "") -> go.Figure:
    """Stacked bar per candidate, rank 1 on top.

    Parameters
    ----------
    candidates : rows with ``rank``, ``document_id``, the four ``e_*`` (each >= 0, no unit) and ``score``, their sum.
        A row whose score is null is drawn as "not scored".
    threshold : eta_Q; a score at or above it flags.
    chosen : ``document_id`` of the candidate the page is about; its bar is solid, the others are paler.
    """
    rows = sorted(candidates, key=lambda row: row["rank"])
    names = [_bar_name(row, row["document_id"] == chosen) for row in rows]
    solid = [1.0 if not chosen or row["document_id"] == chosen else 0.45 for row in rows]
    figure = go.Figure()
    for term, name in TERM_NAMES.items():
        figure.add_bar(
            orientation="h",
            y=names,
            x=[row.get(term) or 0.0 for row in rows],
            name=name,
            marker={
                "color": [rgba(TERM_COLOURS[term], alpha) for alpha in solid],
                "pattern": {
                    "shape": TERM_PATTERNS[term],
                    "fillmode": "overlay",
                    "fgcolor": "rgba(255,255,255,0.8)",
                    "size": 7,
                    "solidity": 0.3,
                },
                "line": {"color": TERM_COLOURS[term], "width": 1},
            },
            hovertemplate=f"%{{y}}<br>{term} = %{{x:.3f}}<extra></extra>",
        )
    scores = [row.get("score") for row in rows]
    figure.add_scatter(
        x=[score or 0.0 for score in scores],
        y=names,
        mode="text",
        text=[_score_text(score, bool(row.get("flagged"))) for score, row in zip(scores, rows, strict=True)],
        textposition="middle right",
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
    )
    figure.add_vline(
        x=threshold,
        line={"color": VERMILLION, "width": 2, "dash": "dash"},
        annotation={"text": f"flag from η_Q = {threshold:g}", "yanchor": "bottom", "xanchor": "left", "y": 1.0},
    )
    widest = max([threshold, *(score or 0.0 for score in scores)])
    figure.update_layout(barmode="stack")
    framed(figure, height=110 + 44 * max(1, len(rows)), x="score = sum of the four terms", y="")
    # The line's own label stands between the plot and the legend
    figure.update_layout(legend={"y": 1.0, "yref": "container", "yanchor": "top", "traceorder": "normal"})
    figure.update_layout(margin={"t": 76})
    figure.update_xaxes(range=[0, widest * 1.28])
    figure.update_yaxes(autorange="reversed", gridcolor="rgba(0,0,0,0)", zeroline=True, zerolinecolor=GREY)
    return figure


def _bar_name(row: Mapping[str, Any], chosen: bool) -> str:
    name = f"{row['rank']} · {chart_label(row['document_id'], 22)}"
    return f"<b>▸ {name}</b>" if chosen else name


def _score_text(score: float | None, flagged: bool) -> str:
    if score is None:
        return " not scored"
    return f" <b>{score:.2f} flagged</b>" if flagged else f" {score:.2f}"
