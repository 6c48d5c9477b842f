"""Answers: once each, of one's own tenant, and only what was in the context counts as cited."""

from __future__ import annotations

from datetime import datetime

import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.builders import documents, event_of
from warehouse.answers import document_reach, gate_events
from warehouse.database import Warehouse
from warehouse.errors import PermissionRefusedError
from warehouse.events import get_event, record_events
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import AnswerRecord
from warehouse.segment_kinds import events_segment, read_answers, read_events
from warehouse.segments import decode
from warehouse.taking import take_bytes

WHEN = datetime(2026, 1, 2, 3, 4, 5)


def answer(event: str, name: str, *cited: str, tenant: str = "default") -> AnswerRecord:
    return AnswerRecord("c", event, name, cited, WHEN, tenant)


def test_reach_tells_retrieved_in_context_and_cited_apart(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(3)], principal=me)
    events = [
        event_of("q1", ["d0", "d1", "d2"], source="gate", event_id="e1", state_detail={"mode": "enforce"}),
        event_of("q2", ["d0", "d2"], source="gate", event_id="e2"),
    ]
    given = [answer("e1", "a", "d0"), answer("e1", "b", "d0", "d1"), answer("e1", "a", "d2"), answer("e2", "a")]
    stored = record_events(wh, events, principal=me, answers=given)
    assert (stored.events, stored.answers) == (2, 3)
    # d1 was ranked, not in the context: citing it counts for nothing
    assert document_reach(wh, "c", principal=me) == [
        {"document_id": "d0", "retrieved": 2, "in_context": 2, "cited": 2},
        {"document_id": "d2", "retrieved": 2, "in_context": 0, "cited": 0},
        {"document_id": "d1", "retrieved": 1, "in_context": 0, "cited": 0},
    ]
    again = record_events(wh, [], principal=me, answers=[answer("e1", "a", "d1"), answer("e1", "c")])
    assert (again.events, again.answers) == (0, 1)
    listed = gate_events(wh, principal=me)
    assert sorted((row["event_id"], row["answers"], row["ranked"]) for row in listed) == [("e1", 3, 3), ("e2", 1, 2)]
    assert [row["event_id"] for row in gate_events(wh, principal=me, mode="enforce")] == ["e1"]


def test_an_answer_of_another_tenant_is_refused_and_never_counted(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(2)], principal=me)
    record_events(wh, [event_of("q1", ["d0", "d1"], event_id="e1")], principal=me)
    theirs = Principal("token:b", "reviewer", frozenset({"b"}), "token")
    with pytest.raises(PermissionRefusedError):
        record_events(wh, [], principal=theirs, answers=[answer("e1", "a", "d0")])
    assert record_events(wh, [], principal=theirs, answers=[answer("e1", "a", "d0", tenant="b")]).answers == 1
    assert document_reach(wh, "c", principal=me)[0]["cited"] == 0
    with pytest.raises(InputError, match="non-empty ids"):
        record_events(wh, [], principal=me, answers=[answer("", "a")])


def test_a_segment_carries_events_and_answers_exactly_once(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(2)], principal=me)
    events, answers = [event_of("q1", ["d0", "d1"], event_id="e1")], [answer("e1", "a", "d0")]
    data = events_segment(events, answers)
    segment = decode(data)
    assert read_answers(segment) == [AnswerRecord("c", "e1", "a", ["d0"], WHEN)]
    assert len(read_events(segment)) == 1
    assert read_answers(decode(events_segment(events))) == []
    for _ in range(2):
        receipt = take_bytes(wh, data, principal=me, route="inbox")
        assert (receipt.state, receipt.result["events"], receipt.result["answers"]) == ("taken", 1, 1)
    assert document_reach(wh, "c", principal=me)[0]["cited"] == 1


def test_a_query_may_come_as_its_hash_alone(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(2)], principal=me)
    record_events(wh, [event_of("", ["d0", "d1"], event_id="e1", query_hash="ab" * 32)], principal=me)
    found = get_event(wh, "e1", principal=me).event
    assert (found["query_text"], found["query_hash"]) == (None, "ab" * 32)
    for query, digest in (("text", "ab" * 32), ("", "short")):
        with pytest.raises(InputError, match="query hash"):
            record_events(wh, [event_of(query, ["d0"], event_id="e2", query_hash=digest)], principal=me)
