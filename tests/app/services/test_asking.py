"""Questions and replays on a real warehouse with stand-in models."""

from __future__ import annotations

import pytest

from app.services.asking import ask
from app.services.events import Origin, run_rankings
from app.services.replaying import labels_of
from app.services.scanning import scan_corpus
from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.rsq import RSQConfig
from warehouse.alerts import QueueFilter, queue_page
from warehouse.events import get_event, list_events
from warehouse.ingest import ingest
from warehouse.labels import list_labels, record_labels

SALAD = " ".join(f"zz{i}" for i in range(24))
ROWS = [
    {"id": f"d{i:02d}", "text": f"the lighthouse keeper of island{i} lived in house{i} by the sea"} for i in range(30)
]
BAD = {"id": "bad", "text": f"which lighthouse keeper lit lamp lighthouse keeper lit lamp {SALAD}"}
QUESTION = ("q1", "which lighthouse keeper lit lamp")


def one(chunks):
    [(answers, recorded)] = list(chunks)
    return answers[0], recorded


def test_a_promoted_document_leaves_and_the_context_is_refilled(wh, access, models, principal, batches) -> None:
    ingest(wh, "c", batches([*ROWS, BAD]), principal=principal)
    answer, recorded = one(ask(access, "c", [QUESTION], models))
    assert answer.context.documents[0].id == "bad"
    assert [r.document_id for r in answer.result.removed] == ["bad"]
    assert len(answer.result.context) == 5
    assert "bad" not in [d.id for d in answer.result.context]
    assert (recorded["events"], recorded["candidates"], recorded["flagged"], recorded["new_alerts"]) == (1, 5, 1, 1)


def test_the_event_keeps_the_ranking_as_it_was_and_the_evidence(wh, access, models, principal, batches) -> None:
    ingest(wh, "c", batches([*ROWS, BAD]), principal=principal)
    answer, _ = one(ask(access, "c", [QUESTION], models))
    stored = get_event(wh, answer.event_id, principal=principal)
    assert [r["document_id"] for r in stored.ranking] == [d.id for d in answer.context.documents]
    assert [r["removed_by"] for r in stored.ranking][:2] == ["rsq", ""]
    evidence = {c.document_id: c for c in answer.result.evidence.candidates}
    for row in stored.candidates:
        assert row["score"] == evidence[row["document_id"]].score
        assert row["e_surprisal"] == evidence[row["document_id"]].surprisal.e_surprisal
    alert = queue_page(wh, principal=principal, filters=QueueFilter(detectors=("rsq",))).rows
    assert [row["document_id"] for row in alert] == ["bad"]


def test_a_second_run_finds_what_is_answered(wh, access, models, principal, batches) -> None:
    ingest(wh, "c", batches([*ROWS, BAD]), principal=principal)
    answer, _ = one(ask(access, "c", [QUESTION], models))
    snapshot = list_events(wh, principal=principal).rows[0]["snapshot_id"]
    assert access.answered("c", snapshot, "calibrated") == {"q1"}
    again, recorded = one(ask(access, "c", [QUESTION], models))
    assert (recorded["events"], recorded["duplicates"]) == (0, 1)
    assert again.event_id == answer.event_id


def test_an_open_corpus_alert_in_the_tail_is_said(wh, access, models, principal, batches) -> None:
    others = [{"id": f"o{i:02d}", "text": f"tram{i} number{i} runs{i}"} for i in range(12)]
    rows = [*ROWS[:12], {"id": "mixed", "text": "a keeper lived in Моscow"}, *others]
    ingest(wh, "c", batches(rows), principal=principal)
    scan_corpus(access, "c", models)
    answer, _ = one(ask(access, "c", [("q", "the lighthouse keeper of island3 lived")], models))
    where = [d.id for d in answer.context.documents].index("mixed") + 1
    assert 6 <= where <= 20
    assert answer.result.state.value == "tail_contaminated"
    assert answer.result.tail_suspects["mixed"].value == "open_rsg_alert"


def test_a_corpus_too_small_is_answered_and_says_so(wh, access, models, principal, batches) -> None:
    ingest(wh, "c", batches(ROWS[:8]), principal=principal)
    answer, _ = one(ask(access, "c", [QUESTION], models))
    assert answer.result.state.value == "tail_too_short"
    assert len(answer.result.context) == 5


def test_bad_questions(wh, access, models, principal, batches) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    with pytest.raises(InputError, match="the question is empty"):
        list(ask(access, "c", [("q", " \n")], models))
    with pytest.raises(InputError, match="unknown RSQ rule"):
        list(ask(access, "c", [QUESTION], models, rule="x"))


def contexts() -> list[RankedContext]:
    return [
        RankedContext(
            f"q{n}",
            "which keeper",
            "clean",
            tuple(RankedDocument(f"d{i:02d}", i + 1, f"{n} text {i}", poison=i == 0) for i in range(20)),
        )
        for n in range(20)
    ]


def test_a_replay_is_stored_once_with_its_labels_apart(wh, access, models, principal) -> None:
    origin = Origin("c", "replay")
    first = [r for _, r in run_rankings(access, contexts(), origin, models, RSQConfig())]
    again = [r for _, r in run_rankings(access, contexts(), origin, models, RSQConfig())]
    assert sum(r["events"] for r in first) == 20
    assert sum(r["candidates"] for r in first) == 100
    assert (sum(r["events"] for r in again), sum(r["duplicates"] for r in again)) == (0, 20)
    assert record_labels(wh, labels_of(contexts(), "c", "x.jsonl"), principal=principal) == 400
    assert sum(list_labels(wh, principal=principal, corpus="c")["poison"].to_pylist()) == 20
