"""What a comparison reads: members by id, for a gate also by text, and never a row of another tenant."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.builders import documents, event_of
from tests.warehouse.desk import LOCAL, alerts
from warehouse.comparing import compared_rankings, version_texts
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.events import record_events
from warehouse.ingest import ingest
from warehouse.records import RankedRecord


@pytest.fixture
def desk(tmp_path: Path):
    """d0 is quarantined; a gate was handed its text under another id, a replay was too."""
    with Warehouse.open(tmp_path / "w.duckdb", command="test") as wh:
        ingest(wh, "c", [documents(3)], principal=LOCAL)
        plain = event_of("plain", ["d0", "d1"], {"d0"})
        copy = [RankedRecord("copy", 1, text="text 0"), RankedRecord("d1", 2)]
        gate = dataclasses.replace(
            event_of("gate", ["d1"]), ranking=copy, candidates=(), source="gate", event_id="event_g"
        )
        replay = dataclasses.replace(gate, source="replay", event_id="event_r", query="replay")
        record_events(wh, [plain, gate, replay], principal=LOCAL)
        name = alerts(wh)["d0"]
        done = decide(wh, name, 1, principal=LOCAL, verdict="quarantine", reason="true_positive", at_once=True)
        yield wh, str(done.quarantine_id)


def test_members_by_id_and_for_a_gate_by_text(desk) -> None:
    wh, version = desk
    events, ranked = compared_rankings(wh, "c", "", version, principal=LOCAL)
    assert events.num_rows == 3
    source = dict(zip(events["event_id"].to_pylist(), events["source"].to_pylist(), strict=True))
    rows = ranked.to_pylist()
    assert not any(row["in_a"] for row in rows)
    assert {(source[row["event_id"]], row["document_id"]) for row in rows if row["in_b"]} == {
        ("replay", "d0"),
        ("gate", "copy"),
    }
    assert [row["rank"] for row in rows if row["event_id"] == "event_g"] == [1, 2]
    terms = {row["document_id"]: row["e_script"] for row in rows if row["event_id"] not in ("event_g", "event_r")}
    assert terms == {"d0": 0.2, "d1": 0.2}
    assert dict(zip(events["event_id"].to_pylist(), events["scored"].to_pylist(), strict=True))["event_g"] is False


def test_filters(desk) -> None:
    wh, version = desk
    events, ranked = compared_rankings(wh, "c", version, "", principal=LOCAL, source="gate")
    assert events["event_id"].to_pylist() == ["event_g"]
    assert {row["event_id"] for row in ranked.to_pylist()} == {"event_g"}
    events, ranked = compared_rankings(wh, "c", "", "", principal=LOCAL, event="event_r")
    assert (events.num_rows, ranked.num_rows) == (1, 2)
    for given in ({"rule": "calibrated"}, {"condition": "x"}, {"event": "' OR 1=1 --"}):
        events, ranked = compared_rankings(wh, "c", "", "", principal=LOCAL, **given)
        assert (events.num_rows, ranked.num_rows) == (0, 0)
    with pytest.raises(InputError, match="no corpus"):
        compared_rankings(wh, "d", "", "", principal=LOCAL)


def test_texts_of_the_callers_own_documents(desk) -> None:
    wh, _ = desk
    _, ranked = compared_rankings(wh, "c", "", "", principal=LOCAL)
    versions = [row["version_id"] for row in ranked.to_pylist() if row["document_id"] == "d1"]
    assert set(version_texts(wh, versions, principal=LOCAL).values()) == {("", "text 1")}
    stranger = dataclasses.replace(LOCAL, tenants=frozenset({"other"}))
    assert version_texts(wh, versions, principal=stranger) == {}
    with pytest.raises(InputError, match="no corpus"):
        compared_rankings(wh, "c", "", "", principal=stranger)
