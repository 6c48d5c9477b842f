"""The second person: no path by which who proposed something puts it in force, in shared mode."""

from __future__ import annotations

import threading

import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.desk import ADA, BOB, CY, LOCAL, OF_B, fill, quarantined, reached, row, version
from warehouse import audit, bulk
from warehouse.approvals import approve, turn_down
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import PermissionRefusedError, RefusedError
from warehouse.principal import Principal
from warehouse.quarantine import propose, propose_rollback, publish_version
from warehouse.quarantine_versions import version_changes
from warehouse.refusals import Refusal
from warehouse.undoing import redo, undo


def reason(call) -> str:
    with pytest.raises(RefusedError) as caught:
        call()
    return str(caught.value.reason)


def judge(wh: Warehouse, name: str, who: Principal, **more: object):
    return decide(
        wh,
        name,
        version(wh, name),
        principal=who,
        verdict="quarantine",
        reason="true_positive",
        **more,  # type: ignore
    )


def test_far_reaching_quarantines_wait_for_another(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    reached(wh, "d0", 10)
    done = judge(wh, name, ADA, at_once=True)
    assert (done.status, done.quarantine_id) == ("waiting", None)
    assert quarantined(wh) == set()
    assert reason(lambda: approve(wh, [name], principal=ADA)) == Refusal.SAME_PERSON
    with pytest.raises(PermissionRefusedError):
        approve(wh, [name], principal=CY)
    with pytest.raises(InputError, match="no alert"):
        approve(wh, [name], principal=OF_B)
    made = approve(wh, [name], principal=BOB)
    assert made is not None
    assert (made.author, made.approved_by, row(wh, name)["status"]) == ("ada", "bob", "in_force")
    assert quarantined(wh) == {"d0"}
    assert reason(lambda: approve(wh, [name], principal=BOB)) == Refusal.NOT_WAITING
    assert [c["proposer"] for c in version_changes(wh, made.quarantine_id, principal=ADA)] == ["ada"]
    assert broken_rules(wh) == []


def test_a_small_one_may_be_put_in_force_alone_and_says_so(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    done = judge(wh, name, CY, at_once=True)
    assert done.status == "in_force"
    assert quarantined(wh) == {"d0"}
    stored = wh.cursor().execute("SELECT approved_by FROM quarantine_current").fetchall()
    assert stored == [("policy",)]


def test_single_user_mode_needs_nobody_else_and_is_recorded(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    reached(wh, "d0", 10)
    done = judge(wh, name, LOCAL, at_once=True)
    assert done.status == "in_force"
    assert wh.cursor().execute("SELECT approved_by FROM quarantine_current").fetchall() == [("single_user_mode",)]


def test_two_approvals_at_once_one_wins(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    reached(wh, "d0", 10)
    judge(wh, name, CY)
    barrier, won, lost = threading.Barrier(4), [], []

    def approver(who: str) -> None:
        barrier.wait()
        try:
            won.append(approve(wh, [name], principal=Principal(who, "approver")))
        except RefusedError as error:
            lost.append(str(error.reason))

    threads = [threading.Thread(target=approver, args=(f"p{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), lost) == (1, [Refusal.NOT_WAITING] * 3)
    assert wh.cursor().execute("SELECT count(*) FROM quarantine_versions").fetchall() == [(1,)]


def test_the_proposer_has_no_way_round(wh: Warehouse) -> None:
    names = fill(wh)
    reached(wh, "d0", 10)
    judge(wh, names["d0"], ADA)
    # Undone and done again, or decided again by another: the first proposer stays one.
    undo(wh, names["d0"], 2, principal=ADA)
    redo(wh, names["d0"], 3, principal=BOB)
    for who in (ADA, BOB):
        assert reason(lambda who=who: approve(wh, [names["d0"]], principal=who)) == Refusal.SAME_PERSON
    third = Principal("eve", "approver")
    first = approve(wh, [names["d0"]], principal=third)
    assert first is not None
    # Release, undo in force, roll-back.
    released = propose(wh, principal=ADA, remove=[("c", "d0")])
    assert reason(lambda: publish_version(wh, released.quarantine_id, principal=ADA)) == Refusal.SAME_PERSON
    waiting = undo(wh, names["d0"], version(wh, names["d0"]), principal=ADA)
    assert (waiting.waiting, waiting.status) == (True, "in_force")
    assert reason(lambda: publish_version(wh, str(waiting.quarantine_id), principal=ADA)) == Refusal.SAME_PERSON
    assert quarantined(wh) == {"d0"}
    publish_version(wh, str(waiting.quarantine_id), principal=BOB)
    assert quarantined(wh) == set()
    assert row(wh, names["d0"])["status"] == "open"
    back = propose_rollback(wh, first.quarantine_id, principal=ADA)
    assert reason(lambda: publish_version(wh, back.quarantine_id, principal=ADA)) == Refusal.SAME_PERSON
    publish_version(wh, back.quarantine_id, principal=BOB)
    assert quarantined(wh) == {"d0"}
    # Bulk: whoever resumes the job, its author stays the proposer.
    reached(wh, "d1", 10)
    act = bulk.BulkAct("decide", "quarantine", "true_positive")
    job = bulk.start(wh, act, bulk.preview(wh, act, principal=ADA, alerts=[names["d1"]]), principal=ADA)
    assert bulk.run(wh, job, principal=BOB).done == 1
    assert row(wh, names["d1"])["state_actor"] == "ada"
    assert reason(lambda: approve(wh, [names["d1"]], principal=ADA)) == Refusal.SAME_PERSON
    approve(wh, [names["d1"]], principal=BOB)
    assert broken_rules(wh) == []
    assert audit.verify(wh).ok


def test_turned_down_is_open_again(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    reached(wh, "d0", 10)
    judge(wh, name, CY, note="mine")
    turn_down(wh, name, principal=BOB, note="not enough")
    assert (row(wh, name)["status"], row(wh, name)["verdict"]) == ("open", None)
    assert reason(lambda: turn_down(wh, name, principal=BOB)) == Refusal.NOT_WAITING
    assert reason(lambda: undo(wh, name, 3, principal=CY)) == Refusal.NOTHING_TO_UNDO


def test_all_or_none(wh: Warehouse) -> None:
    names = fill(wh)
    reached(wh, "d0", 10)
    reached(wh, "d1", 10)
    judge(wh, names["d0"], CY)
    judge(wh, names["d1"], BOB)
    assert reason(lambda: approve(wh, [names["d0"], names["d1"]], principal=BOB)) == Refusal.SAME_PERSON
    assert row(wh, names["d0"])["status"] == "waiting"
    made = approve(wh, [names["d0"], names["d1"]], principal=ADA)
    assert made is not None
    assert made.members == 2
    with pytest.raises(InputError, match="no alert"):
        approve(wh, [], principal=ADA)
