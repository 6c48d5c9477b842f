"""Every figure of the overview against numbers counted by hand, for all tenants and for one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from ragsieve_core.evaluate.drift import TOO_FEW
from tests.warehouse.builders import documents, event_of, scan_of
from tests.warehouse.desk import ADA, OF_B, fill
from warehouse.alerts import queue_page
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.events import record_events
from warehouse.ids import utc_now
from warehouse.ingest import ingest
from warehouse.overview_figures import overview_figures
from warehouse.scans import record_scan
from warehouse.snapshots import load_snapshot


def test_work_and_reach(wh: Warehouse) -> None:
    alerts = fill(wh, 4, flagged=[0, 1, 3])
    decide(wh, alerts["d0"], 1, principal=ADA, verdict="keep", reason="benign", note="known")
    states = ("ok", "tail_contaminated", "unscored", "not_in_force")
    events = [
        event_of(f"q{n}", ["d1", "d2"], tenant="a", source="gate", latency_ms=10.0 * (n + 1), state=state)
        for n, state in enumerate(states)
    ]
    record_events(wh, [*events, event_of("q9", ["d2", "d3"], tenant="b")], principal=ADA)
    found = overview_figures(wh, principal=ADA)
    assert [(row["detector"], row["age"], row["alerts"]) for row in found["ages"]] == [("rsg", "under 1 day", 2)]
    rates = found["rates"]
    assert (rates["rsg_alerts"], rates["scans"], rates["new_documents"], rates["queries"]) == (3, 1, 4, 5)
    assert rates["alerts_per_scan"] == 3.0
    assert rates["alerts_per_1000_new_documents"] == 750.0
    assert rates["alerts_per_1000_queries"] == 0.0
    ((week, verdict, count),) = [tuple(row.values()) for row in found["decisions"]]
    assert (week.weekday(), verdict, count) == (0, "keep", 1)
    # d1 stood first in four contexts, d3 was only ranked, d0 is decided
    assert tuple(found["reach"].values()) == (2, 2, 1, 5, 4)
    gate, replay = found["gate"]
    assert (gate["source"], gate["events"], gate["tail_contaminated_rate"], gate["fallback_rate"]) == (
        "gate",
        4,
        0.25,
        0.5,
    )
    # Linear interpolation between the third and fourth of 10, 20, 30, 40 ms
    assert gate["latency_p95_ms"] == pytest.approx(38.5)
    assert (replay["events"], replay["latency_p95_ms"]) == (1, None)

    of_b = overview_figures(wh, principal=OF_B)
    assert [row["alerts"] for row in of_b["ages"]] == [1]
    assert (of_b["rates"]["rsg_alerts"], of_b["rates"]["new_documents"], of_b["rates"]["queries"]) == (1, 2, 1)
    assert of_b["decisions"] == []
    assert tuple(of_b["reach"].values()) == (1, 1, 0, 1, 0)
    assert [row["source"] for row in of_b["gate"]] == ["replay"]


def test_ages_and_periods_end(wh: Warehouse) -> None:
    fill(wh, 4, flagged=[0])
    for days, age in ((3, "1 to 7 days"), (8, "7 to 30 days"), (31, "over 30 days")):
        found = overview_figures(wh, principal=ADA, now=utc_now() + timedelta(days=days))
        assert [row["age"] for row in found["ages"]] == [age]
    assert (found["rates"]["scans"], found["rates"]["alerts_per_scan"]) == (0, None)
    (health,) = found["health"]
    assert (health["finished"], health["failed"], health["last_status"]) == (0, 0, "finished")
    assert health["last_finished_hours"] == pytest.approx(31 * 24, abs=0.1)


def test_a_failed_scan_is_counted(wh: Warehouse) -> None:
    fill(wh, 4, flagged=[0])
    with wh.transaction() as cursor:
        cursor.execute(
            "INSERT INTO scans SELECT * REPLACE ('scan_z' AS scan_id, 'z' AS scan_key, 'failed' AS status) FROM scans"
        )
    (health,) = overview_figures(wh, principal=ADA)["health"]
    assert (health["finished"], health["failed"], health["last_status"]) == (1, 1, "failed")


def test_drift_compares_scans_of_equal_parameters_and_periods_of_seven_days(wh: Warehouse) -> None:
    snapshot = str(ingest(wh, "c", [documents(30)], principal=ADA).snapshot)
    versions = load_snapshot(wh, snapshot, principal=ADA).version_ids
    first = scan_of(snapshot, versions, set())
    record_scan(wh, replace(first, density=np.zeros(30)), principal=ADA)
    assert [row["size"] for row in overview_figures(wh, principal=ADA)["drift"]] == [TOO_FEW]
    record_scan(wh, replace(scan_of(snapshot, versions, set(), rule="other"), density=np.ones(30)), principal=ADA)
    # The other parameters have one scan alone: nothing to compare
    assert [row["size"] for row in overview_figures(wh, principal=ADA)["drift"]] == [TOO_FEW]
    # Ten of thirty rose above all thirty before, the rest are equal: 300 of 900 pairs
    risen = np.where(np.arange(30) < 10, 0.5, 0.0)
    record_scan(wh, replace(first, density=risen, code_version="2"), principal=ADA)
    (density,) = overview_figures(wh, principal=ADA)["drift"]
    assert (density["term"], density["before"], density["now"], density["size"]) == ("density", 30, 30, "medium")
    assert density["delta"] == pytest.approx(1 / 3)
    assert density["mean_now"] == pytest.approx(1 / 6)

    now = utc_now()

    # Two candidates a query with e_script 0.2; 15 queries a side make 30, and one query of 20 days ago counts nowhere
    def asked(count: int, days: int, name: str) -> list:
        return [event_of(f"{name}{n}", ["d0", "d1"], occurred_at=now - timedelta(days=days)) for n in range(count)]

    record_events(wh, [*asked(15, 0, "now"), *asked(14, 8, "then"), *asked(1, 20, "old")], principal=ADA)
    row = next(r for r in overview_figures(wh, principal=ADA)["drift"] if r["term"] == "e_script")
    assert (row["before"], row["now"], row["delta"], row["size"]) == (28, 30, None, TOO_FEW)
    record_events(wh, asked(1, 8, "more"), principal=ADA)
    row = next(r for r in overview_figures(wh, principal=ADA)["drift"] if r["term"] == "e_script")
    assert (row["before"], row["now"], row["delta"], row["size"]) == (30, 30, 0.0, "negligible")
    assert queue_page(wh, principal=ADA).total == 0
