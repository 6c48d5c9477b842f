"""The jump is drawn between the two windows that the evidence names."""

from __future__ import annotations

from app.charts.alignment_trace import alignment_trace


def test_jump_between_the_named_windows() -> None:
    figure = alignment_trace([0.5, 0.2, 0.25], [[0, 32], [16, 48], [20, 52]], 1)
    trace, jump = figure.data
    assert list(trace.x) == [16, 32, 36]
    assert (list(jump.x), list(jump.y)) == ([16, 32], [0.5, 0.2])
    assert jump.name == "jump 0.300"


def test_one_window_has_no_jump() -> None:
    assert len(alignment_trace([0.5], [[0, 9]], None).data) == 1
    assert len(alignment_trace([], [], None).data) == 1
