from __future__ import annotations

import pytest

from tests.warehouse.builders import event_of
from tests.warehouse.desk import ADA, BOB, CY, DEE, LOCAL, alerts, fill, quarantined, row, version
from warehouse.alerts import alert_detail
from warehouse.claims import claim
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import RefusedError
from warehouse.events import record_events
from warehouse.holds import hold, list_holds
from warehouse.refusals import Refusal
from warehouse.undoing import Undoable, redo, reopen, undo, undoable


def reason(call) -> str:
    with pytest.raises(RefusedError) as caught:
        call()
    return str(caught.value.reason)


def test_undo_and_redo_after_another_opening(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    held = claim(wh, name, 1, principal=CY)
    decide(wh, name, 2, principal=CY, verdict="keep", reason="benign", note="known")
    assert undoable(wh, name, principal=CY) == Undoable("keep", "", "", "nothing_to_redo")
    assert undoable(wh, name, principal=DEE).undo_refused == "undo_conflict"
    assert undo(wh, name, 3, principal=CY).status == "claimed"
    back = row(wh, name)
    assert (back["holder"], back["expires_at"], back["verdict"]) == ("cy", held.expires_at, None)
    redo(wh, name, 4, principal=CY)
    again = alert_detail(wh, name, principal=ADA).history[-1]
    assert (again["kind"], again["verdict"], again["reason"], again["note"]) == ("redone", "keep", "benign", "known")
    assert reason(lambda: redo(wh, name, 5, principal=CY)) == Refusal.NOTHING_TO_REDO
    assert reason(lambda: undo(wh, name, 4, principal=CY)) == Refusal.STALE_VERSION


def test_somebody_elses_act_since_is_a_conflict(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    decide(wh, name, 1, principal=CY, verdict="keep", reason="benign")
    undo(wh, name, 2, principal=CY)
    claim(wh, name, 3, principal=DEE)
    assert reason(lambda: redo(wh, name, 4, principal=CY)) == Refusal.UNDO_CONFLICT
    with pytest.raises(RefusedError, match="dee acted on this alert since"):
        redo(wh, name, 4, principal=CY)


def test_an_undo_sets_the_hold_again(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    made = hold(wh, name, principal=CY, hours=2, reason="looks planted")
    hold(wh, name, principal=CY, hours=3, reason="really")
    decide(wh, name, 1, principal=CY, verdict="needs_verification", reason="other")
    assert list_holds(wh, principal=ADA) == []
    undo(wh, name, 2, principal=CY)
    found = list_holds(wh, principal=ADA)
    assert len(found) == 2
    assert made.expires_at in {r["expires_at"] for r in found}
    redo(wh, name, 3, principal=CY)
    assert list_holds(wh, principal=ADA) == []


def test_in_single_user_mode_an_undo_is_in_force_at_once(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    decide(wh, name, 1, principal=LOCAL, verdict="quarantine", reason="true_positive", at_once=True)
    done = undo(wh, name, 2, principal=LOCAL)
    assert (done.status, done.waiting) == ("open", False)
    assert done.quarantine_id
    assert quarantined(wh) == set()
    assert redo(wh, name, 3, principal=LOCAL).status == "in_force"
    assert quarantined(wh) == {"d0"}
    assert broken_rules(wh) == []


def test_one_of_two_alerts_on_a_document_leaves_it_quarantined(wh: Warehouse) -> None:
    fill(wh)
    record_events(wh, [event_of("q", ["d0", "d1"], {"d0"})], principal=ADA)
    found = [
        r["alert_id"]
        for r in wh.cursor().sql("SELECT alert_id FROM alerts WHERE document_id = 'd0'").to_arrow_table().to_pylist()
    ]
    for name in found:
        decide(wh, name, 1, principal=LOCAL, verdict="quarantine", reason="true_positive", at_once=True)
    undo(wh, found[0], version(wh, found[0]), principal=LOCAL)
    assert quarantined(wh) == {"d0"}
    undo(wh, found[1], version(wh, found[1]), principal=LOCAL)
    assert quarantined(wh) == set()


def test_reopening(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    assert reason(lambda: reopen(wh, name, 1, principal=CY)) == Refusal.NOT_DECIDED
    decide(wh, name, 1, principal=CY, verdict="keep", reason="benign")
    assert reopen(wh, name, 2, principal=DEE, note="new facts").status == "open"
    assert undo(wh, name, 3, principal=DEE).status == "decided"
    assert row(wh, name)["verdict"] == "keep"
    assert alerts(wh)["d0"] == name
    assert BOB.at_least("approver")
