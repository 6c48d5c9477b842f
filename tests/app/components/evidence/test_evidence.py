"""Sentences and spans of each term, on evidence worked by hand."""

from __future__ import annotations

import json
from typing import Any

from app.components.evidence.alignment import alignment_highlights, alignment_sentence
from app.components.evidence.anchors import anchor_highlights, anchor_sentence
from app.components.evidence.density import density_sentence, neighbor_rows
from app.components.evidence.ranking import fate, ranking_rows
from app.components.evidence.reading import Candidate, candidate, characters, decoded, number
from app.components.evidence.script import code_points, dominant, runs_of, script_highlights, script_sentence
from app.components.evidence.surprisal import surprisal_highlights, surprisal_sentence

TEXT = "ok Mосква is ok Vancouver"
RUNS = [
    {"script": "LATIN", "start": 0, "end": 4, "letters": 3},
    {"script": "CYRILLIC", "start": 4, "end": 9, "letters": 5},
    {"script": "LATIN", "start": 10, "end": 25, "letters": 13},
]


def stored(**parts: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"document_id": "d", "rank": 1, "v_script": 5 / 21, "p_script": 0.03125, "p_anchor": 0.001}
    row |= {"e_surprisal": 1.0, "alignment_jump": 0.4, "p_alignment": 0.03125, "e_alignment": 0.16, "score": 2.0}
    return row | {name: json.dumps(value) for name, value in parts.items()}


def test_json_columns_are_decoded_once_and_broken_ones_are_empty() -> None:
    assert decoded('{"a": 1}', {}) == {"a": 1}
    assert decoded({"a": 1}, {}) == {"a": 1}
    assert decoded("[1]", {}) == {}
    assert decoded("{broken", {}) == {}
    assert decoded(None, []) == []
    assert candidate(stored()) == Candidate(row=stored())


def test_number() -> None:
    assert [number(v) for v in (None, 0.0, 0.12345, 0.0000004, 12)] == ["–", "0.000", "0.123", "4.0e-07", "12.000"]


def test_anchor_sentence_names_the_strongest_token() -> None:
    tokens = [{"token": "ok", "K": 9, "x": 2, "p": 0.8}, {"token": "van`<b>", "K": 5, "x": 5, "p": 0.00006}]
    found = candidate(stored(anchors=tokens))
    sentence = anchor_sentence(found, 20, 5)
    assert "``van`<b>`` stands in **5 of 5** candidates and in **0 of 15** tail documents" in sentence
    assert anchor_sentence(candidate(stored()), 20, 5).startswith("No token")


def test_anchor_highlights_are_whole_words_at_their_places() -> None:
    marks = anchor_highlights(TEXT, [{"token": "ok", "K": 3, "x": 3, "p": 0.1}], 20, 5)
    assert [(h.start, h.end) for h in marks] == [(0, 2), (13, 15)]
    assert all(TEXT[h.start : h.end] == "ok" for h in marks)


def test_script_runs_outside_the_main_script_are_named() -> None:
    found = candidate(stored(script_runs=RUNS, tail={"v_script": [0.0] * 15}))
    assert dominant(found.runs) == "LATIN"
    assert [(h.start, h.end, h.label) for h in script_highlights(found.runs)] == [(4, 9, "cyrillic")]
    assert {row["code point"] for row in code_points(found.runs, TEXT)} == {
        "U+043E",
        "U+0441",
        "U+043A",
        "U+0432",
        "U+0430",
    }
    assert [{k: run[k] for k in ("script", "start", "end")} for run in runs_of("ok Mосква")] == [
        {"script": "LATIN", "start": 0, "end": 4},
        {"script": "CYRILLIC", "start": 4, "end": 9},
    ]
    assert "0 of 15 tail documents have a larger share" in script_sentence(found)


def test_the_latin_floor_is_said() -> None:
    row = stored(tail={"v_script": [0.0] * 15}) | {"v_script": 0.0, "p_script": 0.5}
    assert "e_script = 0.2 exactly" in script_sentence(candidate(row))


def test_surprisal_spans_are_those_of_the_tokens() -> None:
    windows = [{"window": 2, "gate": 1.0, "burst": 3.0, "burst_at": 1, "change": 2.0, "change_at": 2}]
    offsets = [[3, 8], [10, 12], [13, 15], [16, 25]]
    found = candidate(stored(surprisal={"windows": windows, "nll": [1, 5, 5, 1], "offsets": offsets}))
    assert [(h.kind, h.start, h.end) for h in surprisal_highlights(found)] == [
        ("burst", 10, 15),
        ("change", 3, 12),
        ("change", 13, 25),
    ]
    assert "3.00 times the gate" in surprisal_sentence(found)
    assert surprisal_sentence(candidate(stored())).startswith("No token")
    assert characters([], 0, 4) == (0, 0)


def test_alignment_marks_both_windows_of_the_jump() -> None:
    offsets = [[0, 2], [3, 9], [10, 12], [13, 15], [16, 25]]
    parts = {"f1": [0.6, 0.2], "windows": [[0, 3], [2, 5]], "jump_at": 1, "offsets": offsets}
    found = candidate(stored(alignment=parts, tail={"alignment_jump": [0.1] * 15}))
    assert [(h.start, h.end, h.label) for h in alignment_highlights(found)] == [(0, 12, "F1 0.60"), (10, 25, "F1 0.20")]
    assert "0 of 15 tail documents jump further" in alignment_sentence(found)
    assert "single window" in alignment_sentence(candidate(stored()))


def test_density_sentence_and_rows() -> None:
    other = {"position": 1, "document_id": "a\u202eb", "cosine": 0.9, "jaccard": 0.1, "retained": True, "reason": ""}
    other |= {"flagged": None, "title": "t", "source_uri": "", "contributor": "c"}
    sentence = density_sentence({"density": 0.5, "tail_probability": 0.02, "integrity": 1.0}, [other])
    assert "**1 of 1**" in sentence
    assert "2.0 % of the corpus" in sentence
    assert "integrity = 1" in sentence
    assert "density did not flag" in density_sentence({}, [other | {"retained": False}])
    (row,) = neighbor_rows([other])
    assert (row["document_id"], row["source_uri"]) == ("a⟦U+202E RLO⟧b", "–")
    assert (row["fate"], row["flagged"]) == ("retained", False)


def test_ranking_rows_say_role_and_fate() -> None:
    tail = {"document_ids": ["t"], "v_script": [0.25], "alignment_jump": [0.5]}
    found = candidate(stored(tail=tail))
    plain = {"title": "", "similarity": None, "source_uri": ""}
    ranked = [
        plain | {"rank": 1, "document_id": "d", "in_context": True, "removed_by": ""},
        plain | {"rank": 2, "document_id": "t", "in_context": False, "removed_by": "rsg"},
        plain | {"rank": 3, "document_id": "s", "in_context": False, "removed_by": ""},
    ]
    rows = ranking_rows(ranked, [found])
    assert [row["role"] for row in rows] == ["candidate", "tail", "spare"]
    assert [row["v_script"] for row in rows] == [5 / 21, 0.25, None]
    assert [fate(row) for row in ranked] == ["in context", "out: rsg", ""]
