"""Query events and answers to segments and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import pyarrow as pa

from warehouse.ids import canonical_json
from warehouse.records import AnswerRecord, CandidateRecord, EventRecord, RankedRecord
from warehouse.segments import Segment, encode

EVENTS = pa.schema([("event", pa.string())])
ANSWERS = pa.schema(
    [
        ("corpus", pa.string()),
        ("event_id", pa.string()),
        ("answer_id", pa.string()),
        ("cited", pa.list_(pa.string())),
        ("answered_at", pa.string()),
        ("tenant", pa.string()),
    ]
)


def events_segment(events: Sequence[EventRecord], answers: Sequence[AnswerRecord] = ()) -> bytes:
    """What :func:`warehouse.events.record_events` takes, as a segment."""
    tables = {"events": pa.table({"event": [_event_text(event) for event in events]}, schema=EVENTS)}
    if answers:
        rows = [
            asdict(answer) | {"cited": list(answer.cited), "answered_at": answer.answered_at.isoformat()}
            for answer in answers
        ]
        tables["answers"] = pa.Table.from_pylist(rows, schema=ANSWERS)
    return encode("events", {}, tables)


def _event_text(event: EventRecord) -> str:
    fields = asdict(event)
    if event.occurred_at is not None:
        fields["occurred_at"] = event.occurred_at.isoformat()
    return canonical_json(fields)


def read_events(segment: Segment) -> list[EventRecord]:
    """The events in order."""
    return [_event(json.loads(text)) for text in segment.table("events", EVENTS)["event"].to_pylist()]


def read_answers(segment: Segment) -> list[AnswerRecord]:
    """The answers in order; none in a segment of events alone."""
    rows = segment.table("answers", ANSWERS).to_pylist()
    return [AnswerRecord(**row | {"answered_at": datetime.fromisoformat(row["answered_at"])}) for row in rows]


def _event(fields: dict[str, Any]) -> EventRecord:
    fields["ranking"] = [RankedRecord(**entry) for entry in fields["ranking"]]
    fields["candidates"] = [CandidateRecord(**entry) for entry in fields["candidates"]]
    if fields.get("occurred_at"):
        fields["occurred_at"] = datetime.fromisoformat(fields["occurred_at"])
    return EventRecord(**fields)
