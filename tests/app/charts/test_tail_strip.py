"""Places of the tail and the candidate on the value axis."""

from __future__ import annotations

from app.charts.tail_strip import tail_strip


def test_equal_values_are_stacked_and_the_candidate_stands_apart() -> None:
    figure = tail_strip([0.0] * 14 + [0.5], 0.2, x="share", ids=[f"d{i}" for i in range(15)])
    tail, candidate = figure.data
    assert list(tail.y) == [*range(1, 15), 1]
    assert tail.name == "tail (15)"
    assert tail.text[3] == "d3"
    assert (candidate.x[0], candidate.marker.symbol, tail.marker.symbol) == (0.2, "diamond", "circle")


def test_all_equal_and_empty_tails_have_an_axis() -> None:
    low, high = tail_strip([0.3] * 15, 0.3, x="share").layout.xaxis.range
    assert low < 0.3 < high
    assert tail_strip([], 0.0, x="share").data[0].name == "tail (0)"
