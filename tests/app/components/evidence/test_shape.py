"""Evidence of any shape: nothing raises, nothing but numbers stands where numbers belong, ours comes through whole."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.charts.alignment_trace import alignment_trace
from app.charts.nll_trace import nll_trace
from app.components.evidence import shape
from app.components.evidence.alignment import alignment_highlights, alignment_sentence
from app.components.evidence.anchors import anchor_highlights, anchor_sentence, nearby_rows
from app.components.evidence.reading import candidate
from app.components.evidence.script import code_points, finding_highlights, script_highlights, script_sentence
from app.components.evidence.surprisal import surprisal_highlights, surprisal_sentence

TEXT = "the harbour festival of 1987"
EVIL = "![x](http://127.0.0.1:9/x.png)"
names = st.sampled_from(
    [
        "token",
        "x",
        "K",
        "p",
        "weight",
        "head",
        "compared",
        "script",
        "start",
        "end",
        "letters",
        "window",
        "gate",
        "burst",
        "change",
        "burst_at",
        "change_at",
        "nll",
        "offsets",
        "f1",
        "windows",
        "jump_at",
        "document_ids",
        "v_script",
        "candidate",
        "coverage",
        "copy_of",
        "misplaced",
        "findings",
        "kind",
        "families",
        "alignment_jump",
        "short",
    ]
)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.just(EVIL) | st.integers(0, 30)
anything = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=6))
anchors = st.lists(
    st.fixed_dictionaries(
        {"token": st.just("harbour") | leaves, "x": leaves, "K": leaves, "p": leaves},
        optional={"weight": leaves, "head": leaves, "compared": leaves},
    ),
    max_size=3,
)
columns = st.fixed_dictionaries(
    {},
    optional={
        "anchors": anchors | anything,
        "script_runs": st.lists(st.fixed_dictionaries({"script": leaves, "start": leaves, "end": leaves})) | anything,
        "surprisal": anything,
        "alignment": anything,
        "tail": anything,
    },
)


@settings(max_examples=300, deadline=None)
@given(columns)
def test_evidence_of_any_shape_is_drawn(parts: dict[str, Any]) -> None:
    row = {"document_id": "d", "rank": 1, "v_script": 0.1, "alignment_jump": 0.4, "p_anchor": 0.1, "score": 2.0}
    found = candidate(row | {name: json.dumps(value) for name, value in parts.items()})
    told = [anchor_sentence(found, 20, 5), script_sentence(found), surprisal_sentence(found), alignment_sentence(found)]
    # A name stands in a code span; nowhere else
    assert all(EVIL not in sentence.replace(f"`{EVIL}`", "") for sentence in told)
    anchor_highlights(TEXT, found.anchors, 20, 5)
    script_highlights(found.runs)
    code_points(found.runs, TEXT)
    finding_highlights(found.own.get("findings", []))
    surprisal_highlights(found)
    alignment_highlights(found)
    if found.calibrated:
        nearby_rows(found.anchors)
    if found.nll:
        nll_trace(found.nll, found.windows)
    if found.f1:
        alignment_trace(found.f1, found.spans, found.jump_at)


def test_what_is_ours_comes_through() -> None:
    token = {"token": "a", "x": 2, "K": 3, "p": 0.5}
    weighed = token | {"weight": 3.5, "head": 5, "compared": 20}
    assert shape.anchors([token, "a", {"token": 1}], weighed=False) == [token]
    assert shape.anchors([token, weighed], weighed=True) == [weighed]
    assert shape.anchors([token, weighed], weighed=False) == [token]
    assert shape.pairs([[0, 3], [3, 3]]) == [[0, 3], [3, 3]]
    assert shape.numbers([1, 2.5]) == [1, 2.5]


def test_what_is_not_is_left_out() -> None:
    assert shape.pairs([[0, 3], [3, 2]]) == []
    assert shape.numbers([1, float("nan")]) == []
    assert shape.numbers([1, 10**400]) == []
    assert shape.entries([{"start": True}], start="whole") == []
    assert shape.entries([{}], start="whole?") == [{}]
