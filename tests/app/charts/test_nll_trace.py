"""Rolling means by hand, and the marks at the places that the evidence names."""

from __future__ import annotations

import numpy as np
import pytest

from app.charts.nll_trace import nll_trace, rolling_mean, strongest
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.surprisal import surprisal


def test_rolling_mean_by_hand() -> None:
    assert rolling_mean([1, 2, 3, 4], 2).tolist() == [1.5, 2.5, 3.5]
    assert rolling_mean([1, 2], 8).tolist() == [1.5]
    assert rolling_mean([], 8).tolist() == []


def test_strongest_is_by_times_over_the_gate() -> None:
    windows = [
        {"window": 8, "gate": 4.0, "burst": 4.0, "change": 1.0},
        {"window": 16, "gate": 2.0, "burst": 1.0, "change": 3.0},
    ]
    found = strongest(windows)
    assert found is not None
    assert found["window"] == 16
    assert strongest([]) is None


def test_burst_and_change_stand_where_the_evidence_says() -> None:
    nll = np.concatenate([np.ones(40), np.full(24, 9.0)]).astype(np.float32)
    evidence = surprisal(nll, RSQConfig())
    windows = [
        {name: getattr(part, name) for name in ("window", "gate", "burst", "burst_at", "change", "change_at")}
        for part in evidence.windows
    ]
    best = strongest(windows)
    assert best is not None
    figure = nll_trace(nll.tolist(), windows, ["<b>tok</b>"] * 64)
    burst = next(shape for shape in figure.layout.shapes if shape.type == "rect")
    # Token i of the evidence is drawn at place i + 1, in a bar one wide
    assert (burst.x0, burst.x1) == (best["burst_at"] + 0.5, best["burst_at"] + best["window"] + 0.5)
    upright = [shape.x0 for shape in figure.layout.shapes if shape.type == "line" and shape.x0 == shape.x1]
    assert upright == [best["change_at"] + 0.5] == [40.5]
    level = next(shape.y0 for shape in figure.layout.shapes if shape.type == "line" and shape.y0 == shape.y1)
    # Lower median of the rolling means: 25 of 49 windows of 16 lie wholly in the first 40 tokens
    assert level == pytest.approx(1.0 + best["gate"])
    assert "<b>" not in figure.data[0].text[0]


def test_no_tokens_and_a_short_text() -> None:
    assert not nll_trace([], []).layout.shapes
    part = {"window": 8, "gate": 4.9, "burst": 0.0, "burst_at": 0, "change": 0.0, "change_at": None}
    assert len(nll_trace([1.0, 2.0], [part]).data) == 2
