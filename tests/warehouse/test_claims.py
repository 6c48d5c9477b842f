from __future__ import annotations

from datetime import timedelta

import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.desk import ADA, BOB, CY, DEE, OF_B, alerts, fill, row, version
from warehouse import acting
from warehouse.alerts import QueueFilter, queue_page
from warehouse.claims import claim, end_claim
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import RefusedError
from warehouse.ids import utc_now
from warehouse.refusals import Refusal


def reason(call) -> str:
    with pytest.raises(RefusedError) as caught:
        call()
    return str(caught.value.reason)


def test_a_claim_is_visible_and_keeps_others_off_until_it_ends(wh: Warehouse, monkeypatch) -> None:
    name = fill(wh)["d0"]
    made = claim(wh, name, 1, principal=CY)
    assert (made.holder, made.version) == ("cy", 2)
    shown = queue_page(wh, principal=DEE, filters=QueueFilter(holder="cy")).rows
    assert [(r["alert_id"], r["status"], r["holder"]) for r in shown] == [(name, "claimed", "cy")]
    assert reason(lambda: claim(wh, name, 2, principal=DEE)) == Refusal.HELD_BY_OTHER
    assert reason(lambda: decide(wh, name, 2, principal=DEE, verdict="keep", reason="benign")) == Refusal.HELD_BY_OTHER
    with pytest.raises(RefusedError, match="cy holds this alert until"):
        claim(wh, name, 2, principal=DEE)
    later = utc_now() + timedelta(minutes=31)
    monkeypatch.setattr(acting, "utc_now", lambda: later)
    monkeypatch.setattr("warehouse.alerts.utc_now", lambda: later)
    assert queue_page(wh, principal=DEE, filters=QueueFilter(holder="cy")).total == 0
    found = {r["alert_id"]: r for r in queue_page(wh, principal=DEE, filters=QueueFilter(statuses=["open"])).rows}
    assert (found[name]["status"], found[name]["holder"]) == ("open", None)
    assert reason(lambda: decide(wh, name, 2, principal=CY, verdict="keep", reason="benign")) == Refusal.CLAIM_EXPIRED
    assert decide(wh, name, 2, principal=DEE, verdict="keep", reason="benign").status == "decided"
    assert reason(lambda: decide(wh, name, 2, principal=CY, verdict="keep", reason="benign")) == Refusal.STALE_VERSION


def test_takeover_names_from_whom(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    claim(wh, name, 1, principal=CY)
    assert claim(wh, name, 2, principal=DEE, takeover=True).taken_from == "cy"
    assert reason(lambda: end_claim(wh, name, 3, principal=CY)) == Refusal.HELD_BY_OTHER
    assert reason(lambda: decide(wh, name, 2, principal=CY, verdict="keep", reason="benign")) == Refusal.HELD_BY_OTHER
    end_claim(wh, name, 3, principal=DEE)
    assert reason(lambda: end_claim(wh, name, 4, principal=DEE)) == Refusal.NOT_CLAIMED
    assert row(wh, name)["status"] == "open"


def test_another_tenants_alerts_are_not_there(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    for call in (
        lambda: claim(wh, name, 1, principal=OF_B),
        lambda: decide(wh, name, 1, principal=OF_B, verdict="keep", reason="benign"),
    ):
        with pytest.raises(InputError, match="no alert"):
            call()
    assert {r["tenant"] for r in queue_page(wh, principal=OF_B).rows} == {"b"}
    assert alerts(wh)["d0"] == name
    assert version(wh, name) == 1
    assert ADA.tenants is BOB.tenants is None
