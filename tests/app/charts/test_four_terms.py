"""What the stacked bars add up to, and that no document id becomes markup of a figure."""

from __future__ import annotations

from app.charts.four_terms import four_terms

ROWS = [
    {
        "rank": rank,
        "document_id": name,
        "e_anchor": 0.5,
        "e_script": 0.2,
        "e_surprisal": 0.25 * rank,
        "e_alignment": 0.0,
        "score": 0.7 + 0.25 * rank,
        "flagged": 0.7 + 0.25 * rank >= 1.0,
    }
    for rank, name in ((2, "<a href='http://x'>b</a>"), (1, "a"))
]


def test_bars_add_up_to_the_score_in_rank_order() -> None:
    figure = four_terms(ROWS, 1.0, "a")
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [trace.name for trace in bars] == ["answer anchors", "script", "surprisal", "alignment"]
    assert [sum(trace.x[i] for trace in bars) for i in range(2)] == [0.95, 1.2]
    assert bars[0].y[0] == "<b>▸ 1 · a</b>"
    assert "<a" not in bars[0].y[1]
    assert figure.layout.shapes[0].x0 == 1.0


def test_terms_differ_by_pattern_and_name_not_by_colour_alone() -> None:
    bars = [trace for trace in four_terms(ROWS, 1.0).data if trace.type == "bar"]
    assert len({trace.marker.pattern.shape for trace in bars}) == 4
    assert len({trace.name for trace in bars}) == 4


def test_an_unscored_candidate_says_so() -> None:
    figure = four_terms([{"rank": 1, "document_id": "a", "score": None, "e_anchor": None}], 1.0)
    assert figure.data[-1].text[0].strip() == "not scored"
