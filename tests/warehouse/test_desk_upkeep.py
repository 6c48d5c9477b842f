from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.review.approval import ReviewPolicy
from tests.warehouse.desk import ADA, BOB, CY, LOCAL, fill, quarantined, row
from warehouse import quarantine
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.desk_upkeep import keep_up
from warehouse.holds import list_holds
from warehouse.ids import utc_now
from warehouse.provenance import set_risk_tier, set_trust
from warehouse.quarantine import propose, publish_version
from warehouse.quarantine_versions import version_changes
from warehouse.roles import set_policy


def test_a_quarantine_ends_at_its_time(wh: Warehouse, monkeypatch) -> None:
    names = fill(wh)
    end = utc_now() + timedelta(days=7)
    short = propose(wh, principal=CY, add=[names["d0"]], expires_at=end)
    publish_version(wh, short.quarantine_id, principal=BOB)
    both = propose(wh, principal=CY, add=[names["d1"]])
    publish_version(wh, both.quarantine_id, principal=BOB)
    assert keep_up(wh, principal=ADA) == {"expired": 0, "realerted": 0, "held": 0}
    monkeypatch.setattr(quarantine, "utc_now", lambda: end)
    assert keep_up(wh, principal=ADA)["expired"] == 1
    assert quarantined(wh) == {"d1"}
    assert row(wh, names["d0"])["status"] == "open"
    assert row(wh, names["d1"])["status"] == "in_force"
    last = quarantine.current_version(wh, principal=ADA)
    assert last is not None
    assert last.approved_by == "schedule"
    (change,) = version_changes(wh, last.quarantine_id, principal=ADA)
    assert (change["document_id"], change["cause"]) == ("d0", "expiry")
    assert keep_up(wh, principal=ADA)["expired"] == 0
    with pytest.raises(InputError):
        propose(wh, principal=CY, add=[names["d2"]], expires_at=end)
    assert broken_rules(wh) == []


def test_holds_by_policy_once_and_until_decided(wh: Warehouse) -> None:
    names = fill(wh)
    assert keep_up(wh, principal=ADA)["held"] == 0
    set_policy(wh, replace(ReviewPolicy(), hold_severity=40.0), principal=ADA)
    assert keep_up(wh, principal=ADA)["held"] == 4
    assert keep_up(wh, principal=ADA)["held"] == 0
    decide(wh, names["d0"], 1, principal=LOCAL, verdict="keep", reason="benign")
    assert {hold["document_id"] for hold in list_holds(wh, principal=ADA)} == {"d1", "d2", "d3"}


def test_severity_follows_what_people_say(wh: Warehouse) -> None:
    names = fill(wh)
    before = row(wh, names["d0"])["severity"]
    set_risk_tier(wh, "c", 2, principal=ADA)
    set_risk_tier(wh, "c", 3, principal=ADA, document_id="d0")
    assert row(wh, names["d0"])["severity"] == pytest.approx(before + 10)
    assert row(wh, names["d1"])["severity"] == pytest.approx(before + 5)
    assert row(wh, names["d0"])["tier"] == 3
    set_trust(wh, "c", "contributor", "nobody", "untrusted", principal=ADA)
    assert row(wh, names["d0"])["severity"] == pytest.approx(before + 10)
    folded = wh.cursor().execute(
        "SELECT max(abs(a.severity - b.severity)) FROM alert_current AS a JOIN alert_folded AS b USING (alert_id)"
    )
    assert folded.fetchall()[0][0] == pytest.approx(0)
    done = decide(wh, names["d0"], 1, principal=CY, verdict="quarantine", reason="true_positive", at_once=True)
    assert done.status == "waiting", "tier 3 needs a second person"
