"""Neighbours by their fate, the floor, and the mean of the strongest retained, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from app.charts.density_floor import density_floor, reason_name


def row(position: int, cosine: float, reason: str) -> dict[str, Any]:
    return {
        "position": position,
        "document_id": f"<i>{position}</i>",
        "cosine": cosine,
        "jaccard": 0.1 * position,
        "retained": reason == "",
        "reason": reason,
    }


NEIGHBOURS = [
    row(3, 0.90, ""),
    row(1, 0.98, ""),
    row(2, 0.95, "ABOVE_JACCARD"),
    row(4, 0.70, "below_cosine"),
    row(5, 0.60, "below_cosine_and_above_jaccard"),
]


def test_groups_and_levels() -> None:
    figure = density_floor(NEIGHBOURS, 0.60, cosine_cut=0.85)
    names = [trace.name for trace in figure.data]
    assert names == [
        "retained (2)",
        "rejected: words too alike (1)",
        "rejected: cosine too low (1)",
        "rejected: both (1)",
    ]
    assert len({trace.marker.symbol for trace in figure.data}) == 4
    assert list(figure.data[0].x) == [1, 3]
    assert figure.data[0].text[0] == "&lt;i&gt;1&lt;/i&gt;"
    levels = [shape.y0 for shape in figure.layout.shapes if shape.type == "line"]
    assert levels == pytest.approx([0.94, 0.60, 0.85])  # mean of 0.98 and 0.90, floor, cut


def test_strongest_limits_the_mean() -> None:
    figure = density_floor(NEIGHBOURS, 0.60, strongest=1)
    assert figure.layout.shapes[0].y1 == pytest.approx(0.98)


def test_no_retained_neighbour_and_an_unknown_reason() -> None:
    figure = density_floor([row(1, 0.7, "other_reason")], 0.7)
    assert [trace.name for trace in figure.data] == ["rejected: other reason (1)"]
    assert reason_name("", True)[0] == "retained"
