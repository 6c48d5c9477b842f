from __future__ import annotations

import dataclasses

import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.builders import documents, event_of
from warehouse.alerts import queue_page
from warehouse.database import Warehouse
from warehouse.errors import PermissionRefusedError
from warehouse.events import SORTS, candidate_rows, exposure, get_event, list_events, record_events
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import RankedRecord


@pytest.fixture
def corpus(wh: Warehouse, me: Principal) -> str:
    return str(ingest(wh, "c", [documents(6)], principal=me).snapshot)


def test_events_are_stored_once(wh: Warehouse, me: Principal, corpus: str) -> None:
    given = [event_of("q1", ["d0", "d1", "d2"], {"d0"}), event_of("q2", ["d3", "d1", "d0"])]
    first = record_events(wh, given, principal=me)
    assert (first.events, first.duplicates, first.candidates, first.flagged, first.new_alerts) == (2, 0, 4, 1, 1)
    again = record_events(wh, [*given, given[0]], principal=me)
    assert (again.events, again.duplicates, again.new_alerts) == (0, 3, 0)
    assert again.ids == (*first.ids, first.ids[0])
    detail = get_event(wh, first.ids[0], principal=me)
    assert [(row["rank"], row["document_id"], row["text"]) for row in detail.ranking] == [
        (1, "d0", "text 0"),
        (2, "d1", "text 1"),
        (3, "d2", "text 2"),
    ]
    assert [(row["document_id"], row["score"], row["flagged"]) for row in detail.candidates] == [
        ("d0", 1.5, True),
        ("d1", 0.2, False),
    ]


@pytest.mark.parametrize(
    "change",
    [{"query": "other"}, {"condition": "attack"}, {"snapshot": "s"}, {"quarantine_version": "v"}, {"config_key": "k"}],
)
def test_what_makes_an_event_another_one(wh: Warehouse, me: Principal, corpus: str, change: dict) -> None:
    event = event_of("q1", ["d0", "d1"])
    result = record_events(wh, [event, dataclasses.replace(event, **change)], principal=me)
    assert result.events == 2


def test_ranked_texts_find_or_make_their_version(wh: Warehouse, me: Principal, corpus: str) -> None:
    ranking = [
        RankedRecord("d1", 1, text="text 1"),
        RankedRecord("d2", 2, text="a changed text"),
        RankedRecord("new", 3, text="never ingested"),
        RankedRecord("ghost", 4),
        RankedRecord("d3", 5),
    ]
    event = dataclasses.replace(event_of("q", ["d1", "d2"]), ranking=ranking)
    (name,) = record_events(wh, [event], principal=me).ids
    rows = get_event(wh, name, principal=me).ranking
    assert [(row["document_id"], row["origin"], row["text"]) for row in rows] == [
        ("d1", "ingest", "text 1"),
        ("d2", "event", "a changed text"),
        ("new", "event", "never ingested"),
        ("ghost", None, None),
        ("d3", "ingest", "text 3"),
    ]
    again = ingest(wh, "c", [documents(6)], principal=me)
    assert (again.snapshot, again.accepted) == (corpus, 0), "a text seen in an event is in no snapshot"
    other = dataclasses.replace(event, query="q2")
    record_events(wh, [other], principal=me)
    assert wh.cursor().execute("SELECT count(*) FROM document_versions WHERE origin = 'event'").fetchall() == [(2,)]


def test_the_query_text_can_stay_outside(wh: Warehouse, me: Principal, corpus: str) -> None:
    shown, hidden = event_of("secret?", ["d0", "d1"]), event_of("secret?", ["d1", "d0"], store_query=False)
    record_events(wh, [shown, hidden], principal=me)
    rows = wh.cursor().execute("SELECT query_text, query_hash FROM retrieval_events ORDER BY 1 NULLS LAST").fetchall()
    assert [row[0] for row in rows] == ["secret?", None]
    assert rows[0][1] == rows[1][1], "equal queries are recognised"
    assert len(rows[0][1]) == 64


@pytest.mark.parametrize(
    "ranking",
    [
        [RankedRecord("d0", 1), RankedRecord("d1", 1)],
        [RankedRecord("d0", 2), RankedRecord("d1", 1)],
        [RankedRecord("d0", 0), RankedRecord("d1", 1)],
        [RankedRecord("d0", 1), RankedRecord("d0", 2)],
        [RankedRecord("d0", 1)],
    ],
)
def test_rankings_that_cannot_be(wh: Warehouse, me: Principal, corpus: str, ranking: list) -> None:
    with pytest.raises(InputError, match="query 'q'"):
        record_events(wh, [dataclasses.replace(event_of("q", ["d0", "d1"]), ranking=ranking)], principal=me)
    assert list_events(wh, principal=me).total == 0


def test_lists_filter_sort_and_page(wh: Warehouse, me: Principal, corpus: str) -> None:
    record_events(
        wh,
        [
            event_of("q1", ["d0", "d1"], {"d0"}, condition="clean", latency_ms=5.0),
            event_of("q2", ["d2", "d3"], condition="attack", state="tail_contaminated"),
            event_of("q3", ["d0", "d4"], condition="attack", latency_ms=9.0),
        ],
        principal=me,
    )

    def queries(**filters: object) -> list[str]:
        return [
            row["query_id"] for row in list_events(wh, principal=me, sort="query_id", descending=False, **filters).rows
        ]

    assert queries() == ["q1", "q2", "q3"]
    assert queries(condition="attack") == ["q2", "q3"]
    assert queries(state="tail_contaminated") == ["q2"]
    assert queries(document_id="d0") == ["q1", "q3"]
    assert queries(flagged=True) == ["q1"]
    assert queries(flagged=False) == ["q2", "q3"]
    assert queries(corpus="c", limit=1, offset=1) == ["q2"]
    assert list_events(wh, principal=me, flagged=False, limit=1).total == 2
    for column in SORTS:
        assert len(list_events(wh, principal=me, sort=column).rows) == 3
    assert [row["query_id"] for row in list_events(wh, principal=me, sort="latency_ms").rows] == ["q3", "q1", "q2"]
    table = candidate_rows(wh, principal=me)
    assert table.num_rows == 6
    assert "anchors" not in table.column_names


def test_tenants(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(2, tenant="a"), documents(2, start=2, tenant="b")], principal=me)
    mine, theirs = event_of("q1", ["d0", "d2"], tenant="a"), event_of("q2", ["d2", "d3"], tenant="b")
    ids = record_events(wh, [mine, theirs], principal=me).ids
    ann = Principal("ann", "reviewer", frozenset({"a"}))
    assert [row["query_id"] for row in list_events(wh, principal=ann).rows] == ["q1"]
    assert [row["document_id"] for row in get_event(wh, ids[0], principal=ann).ranking] == ["d0"]
    assert [row["document_id"] for row in get_event(wh, ids[0], principal=ann).candidates] == ["d0"]
    assert candidate_rows(wh, principal=ann)["document_id"].to_pylist() == ["d0"]
    with pytest.raises(InputError, match="no event"):
        get_event(wh, ids[1], principal=ann)
    with pytest.raises(PermissionRefusedError):
        record_events(wh, [event_of("q3", ["d0", "d1"], tenant="b")], principal=ann)


def test_alerts_gather_their_events_and_count_reach(wh: Warehouse, me: Principal, corpus: str) -> None:
    record_events(wh, [event_of("q1", ["d1", "d0"]), event_of("q2", ["d0", "d2"], {"d0"})], principal=me)
    (alert,) = queue_page(wh, principal=me).rows
    assert (alert["document_id"], alert["retrieved"], alert["in_context"], alert["evidence"]) == ("d0", 2, 1, 1)
    record_events(wh, [event_of("q3", ["d0", "d3"], {"d0"}), event_of("q4", ["d4", "d5", "d0"])], principal=me)
    (alert,) = queue_page(wh, principal=me).rows
    assert (alert["retrieved"], alert["in_context"], alert["evidence"]) == (4, 2, 2)


def test_exposure_counts_rankings_within_the_depth(wh: Warehouse, me: Principal, corpus: str) -> None:
    given = [event_of("q1", ["d0", "d1", "d2"]), event_of("q2", ["d1", "d2", "d0"]), event_of("q3", ["d1", "d3"])]
    record_events(wh, given, principal=me)
    ids = {
        row["version_id"]: row["document_id"]
        for name in list_events(wh, principal=me).rows
        for row in get_event(wh, name["event_id"], principal=me).ranking
    }
    # d1 three times; d0 and d2 twice, d0 once first; d3 once
    assert [ids[version] for version in exposure(wh, "c", principal=me)] == ["d1", "d0", "d2", "d3"]
    assert [ids[version] for version in exposure(wh, "c", principal=me, depth=1)] == ["d1", "d0"]
    assert exposure(wh, "other", principal=me) == []
    assert exposure(wh, "c", principal=Principal("x", "viewer", frozenset({"elsewhere"}))) == []
