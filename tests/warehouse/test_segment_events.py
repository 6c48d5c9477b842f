"""Events come back from a segment, and the same events are the same bytes."""

from __future__ import annotations

from datetime import datetime

from tests.warehouse.builders import event_of
from warehouse.segment_events import events_segment, read_events
from warehouse.segments import decode

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 6)


def test_events_come_back() -> None:
    events = [
        event_of("q1", ["a", "b", "c"], {"a"}),
        event_of("ü", ["a", "b"], occurred_at=MOMENT),
    ]
    data = events_segment(events)
    found = read_events(decode(data))
    assert events_segment(found) == data
    assert [event.ranking for event in found] == [event.ranking for event in events]
    assert found[1].occurred_at == events[1].occurred_at
