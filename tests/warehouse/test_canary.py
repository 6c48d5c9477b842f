from __future__ import annotations

import json

import pytest

from tests.warehouse.builders import event_of
from tests.warehouse.desk import ADA, BOB, CY, LOCAL, OF_B, fill
from warehouse import audit
from warehouse.canary import Replayed, canary_results, canary_runs, plan, run_canary, without_canary
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import RefusedError
from warehouse.events import record_events
from warehouse.quarantine import propose_rollback, publish_version
from warehouse.records import RankedRecord
from warehouse.refusals import Refusal
from warehouse.release_costs import costs_by_week, release_costs
from warehouse.undoing import undo


@pytest.fixture
def version(wh: Warehouse) -> str:
    names = fill(wh)
    record_events(
        wh,
        [
            event_of("q1", ["d0", "d1", "d2"], tenant="a"),
            event_of("q2", ["d0", "d2", "d1"], tenant="a"),
            event_of("q1", ["d0", "d1"], tenant="a", condition="again"),
            event_of("q3", ["d1", "d0"], tenant="a"),
        ],
        principal=ADA,
    )
    done = decide(wh, names["d0"], 1, principal=LOCAL, verdict="quarantine", reason="true_positive", at_once=True)
    return str(done.quarantine_id)


def test_the_questions_that_reached_it_are_replayed(wh: Warehouse, version: str) -> None:
    assert without_canary(wh, principal=ADA) == version
    asked = {query.query_text for query in plan(wh, version, principal=ADA)}
    assert asked == {"q1", "q2"}, "q3 gave d1 alone; q1 counts once"
    report = run_canary(wh, version, principal=CY)
    assert (report.queries, report.sound, report.outcomes["verified_absent"]) == (2, True, 2)
    assert without_canary(wh, principal=ADA) is None
    (run,) = canary_runs(wh, principal=ADA, quarantine_id=version)
    assert (run["verified_absent"], run["still_present"]) == (2, 0)
    assert canary_results(wh, run["run_id"], principal=OF_B) == []
    assert audit.verify(wh).ok


def test_what_is_still_present_is_said_first(wh: Warehouse, version: str) -> None:
    def broken(queries, in_force):
        assert in_force.excluded_by("c", "d0") == "quarantine"
        return [Replayed(q.ranking if q.query_text == "q1" else None, "retrieval", "gone") for q in queries]

    report = run_canary(wh, version, principal=CY, replay=broken)
    assert not report.sound
    rows = canary_results(wh, report.run_id, principal=ADA)
    assert [(r["outcome"], r["rank_after"]) for r in rows] == [("still_present", 1), ("unreplayed", None)]


def test_a_publication_that_went_wrong_shows(wh: Warehouse, version: str) -> None:
    """The file that gates read holds nothing any more, while the tables still say that d0 is quarantined."""
    import hashlib

    folder = wh.side.folder("published")
    pointer = json.loads((folder / "current").read_text())
    content = json.loads((folder / pointer["file"]).read_text()) | {"quarantined": []}
    data = json.dumps(content).encode()
    (folder / pointer["file"]).write_bytes(data)
    (folder / "current").write_text(json.dumps(pointer | {"sha256": hashlib.sha256(data).hexdigest()}))
    assert not run_canary(wh, version, principal=CY).sound


def test_restored_after_a_roll_back(wh: Warehouse, version: str) -> None:
    name = next(r for r in wh.cursor().execute("SELECT alert_id FROM alerts WHERE document_id = 'd0'").fetchall())[0]
    undo(wh, name, 2, principal=LOCAL)
    again = propose_rollback(wh, version, principal=CY)
    publish_version(wh, again.quarantine_id, principal=BOB)
    empty = wh.cursor().execute("SELECT quarantine_id FROM quarantine_versions WHERE members = 0").fetchall()[0][0]
    back = propose_rollback(wh, empty, principal=CY)
    publish_version(wh, back.quarantine_id, principal=BOB)
    report = run_canary(wh, back.quarantine_id, principal=CY)
    assert (report.outcomes["restored"], report.outcomes["not_restored"]) == (2, 0)
    with pytest.raises(RefusedError) as caught:
        run_canary(wh, version, principal=CY)
    assert caught.value.reason == Refusal.NOT_IN_FORCE


def test_what_a_release_had_cost(wh: Warehouse, version: str) -> None:
    from dataclasses import replace

    name = next(r for r in wh.cursor().execute("SELECT alert_id FROM alerts WHERE document_id = 'd0'").fetchall())[0]
    events = []
    for query, rank in (("n1", 1), ("n1", 1), ("n2", 3), ("n3", 6)):
        others = [RankedRecord(f"x{n}", n, text=f"x {n}") for n in range(1, 8) if n != rank]
        ranking = sorted([*others, RankedRecord("d0", rank, removed_by="quarantine")], key=lambda r: r.rank)
        condition = str(len(events))
        events.append(replace(event_of(query, ["d0"], tenant="a"), ranking=ranking, candidates=[], condition=condition))
    record_events(wh, events, principal=ADA)
    undo(wh, name, 2, principal=LOCAL)
    (row,) = release_costs(wh, principal=ADA)
    assert (row["document_id"], row["queries_changed"], row["answers_affected"]) == ("d0", 2, 3)
    assert 0 < row["hours_in_force"] < 1
    (week,) = costs_by_week([row | {"source_uri": "s"}])
    assert (week["source"], week["documents"], week["answers_affected"], week["week"].weekday()) == ("s", 1, 3, 0)
    assert release_costs(wh, principal=OF_B) == []
