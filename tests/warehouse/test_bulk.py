from __future__ import annotations

import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.desk import ADA, BOB, CY, DEE, LOCAL, OF_B, fill, quarantined, row
from warehouse import audit, bulk
from warehouse.alerts import QueueFilter
from warehouse.bulk import BulkAct
from warehouse.claims import claim
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import RefusedError
from warehouse.refusals import Refusal

KEEP = BulkAct("decide", "keep", "benign", "a batch")


def test_preview_counts_and_changes_nothing(wh: Warehouse) -> None:
    names = fill(wh)
    claim(wh, names["d1"], 1, principal=DEE)
    before = audit.head(wh)
    found = bulk.preview(wh, KEEP, principal=CY, filters=QueueFilter(), exceptions=[names["d3"]])
    assert audit.head(wh) == before
    assert (len(found.items), found.exceptions) == (3, 1)
    assert found.outcomes == {"decided": 2, "refused:held_by_other": 1}
    assert (found.tenants, found.corpora) == (("a", "b"), ("c",))
    assert row(wh, names["d0"])["status"] == "open"


def test_what_was_previewed_is_what_is_judged(wh: Warehouse, monkeypatch) -> None:
    monkeypatch.setattr(bulk, "CHUNK", 2)
    names = fill(wh, 6)
    found = bulk.preview(wh, KEEP, principal=CY, alerts=list(names.values()), exceptions=[names["d5"]])
    job = bulk.start(wh, KEEP, found, principal=CY)
    decide(wh, names["d1"], 1, principal=DEE, verdict="escalate", reason="other")
    first = bulk.run(wh, job, principal=CY, at_most=1)
    assert first.done + first.refused + first.left == first.items == 5
    assert first.left == 3
    last = bulk.run(wh, job, principal=CY)
    assert (last.done, last.refused, last.left, last.reasons) == (4, 1, 0, {"stale_version": 1})
    assert row(wh, names["d1"])["verdict"] == "escalate"
    assert row(wh, names["d5"])["status"] == "open"
    again = bulk.run(wh, job, principal=CY)
    assert again == last, "a finished job does nothing more"
    results = {r["document_id"]: (r["outcome"], r["reason"]) for r in bulk.results(wh, job, principal=ADA)}
    assert results["d1"] == ("refused", "stale_version")
    assert [(j["done"], j["refused"], j["left"]) for j in bulk.list_jobs(wh, principal=ADA)] == [(4, 1, 0)]
    back = bulk.undo_of(wh, job, principal=CY)
    assert back.outcomes == {"open": 4}
    undone = bulk.run(wh, bulk.start(wh, BulkAct("undo"), back, principal=CY), principal=CY)
    assert undone.done == 4
    assert row(wh, names["d0"])["status"] == "open"
    assert broken_rules(wh) == []


def test_one_version_for_a_chunk(wh: Warehouse) -> None:
    names = fill(wh)
    act = BulkAct("decide", "quarantine", "true_positive", at_once=True)
    found = bulk.preview(wh, act, principal=LOCAL, alerts=list(names.values()))
    assert found.outcomes == {"in_force": 4}
    done = bulk.run(wh, bulk.start(wh, act, found, principal=LOCAL), principal=LOCAL)
    assert (done.done, len(done.quarantine_ids)) == (4, 1)
    assert quarantined(wh) == {"d0", "d1", "d2", "d3"}
    assert wh.cursor().execute("SELECT count(*) FROM quarantine_versions").fetchall() == [(1,)]


def test_what_is_no_bulk(wh: Warehouse) -> None:
    names = fill(wh)
    one = [names["d0"]]
    wrong = ({}, {"alerts": ["x"]}, {"alerts": one, "campaign": "x"}, {"alerts": one, "exceptions": ["y"]})
    for arguments in wrong:
        with pytest.raises(InputError):
            bulk.preview(wh, KEEP, principal=CY, **arguments)
    with pytest.raises(InputError, match="no alert"):
        bulk.preview(wh, KEEP, principal=OF_B, alerts=[names["d0"]])
    with pytest.raises(InputError):
        BulkAct("decide", "delete", "benign")
    with pytest.raises(InputError):
        BulkAct("erase")  # type: ignore[arg-type]
    empty = bulk.preview(wh, KEEP, principal=CY, filters=QueueFilter(search="nothing"))
    with pytest.raises(RefusedError) as caught:
        bulk.start(wh, KEEP, empty, principal=CY)
    assert caught.value.reason == Refusal.NOTHING_TO_DO
    with pytest.raises(InputError, match="no bulk job"):
        bulk.run(wh, "bulk_x", principal=BOB)


KILLED = """
import os, signal, sys
from warehouse import bulk
from warehouse.database import Warehouse
from warehouse.principal import Principal
bulk.CHUNK = 2
with Warehouse.open(sys.argv[1], command="x") as wh:
    killed = lambda done, of: os.kill(os.getpid(), signal.SIGKILL)
    bulk.run(wh, sys.argv[2], principal=Principal("cy", "reviewer"), progress=killed)
"""


def test_a_kill_loses_nothing_and_does_nothing_twice(tmp_path, python) -> None:
    path = tmp_path / "w.duckdb"
    with Warehouse.open(path, command="pytest") as wh:
        names = fill(wh, 5)
        job = bulk.start(wh, KEEP, bulk.preview(wh, KEEP, principal=CY, alerts=list(names.values())), principal=CY)
    process = python(KILLED, path, job)
    process.communicate(timeout=120)
    assert process.returncode == -9
    with Warehouse.open(path, command="pytest") as wh:
        assert bulk.report(wh, job, principal=ADA).done == 2
        assert bulk.run(wh, job, principal=CY).done == 5
        counted = wh.cursor().execute("SELECT count(*) FROM alert_events WHERE kind = 'decided'").fetchall()
        assert counted == [(5,)]
        assert broken_rules(wh) == []
