from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.publication import PublicationReader
from tests.warehouse.builders import documents, event_of
from warehouse import audit, holds
from warehouse.alerts import alert_detail, queue_page
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import PermissionRefusedError, RefusedError
from warehouse.events import record_events
from warehouse.holds import end_hold, hold, list_holds
from warehouse.ids import utc_now
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.refusals import Refusal


@pytest.fixture
def alert(wh: Warehouse, me: Principal) -> str:
    ingest(wh, "c", [documents(3, tenant="a")], principal=me)
    record_events(wh, [event_of("q", ["d0", "d1", "d2"], {"d0"}, tenant="a")], principal=me)
    return str(queue_page(wh, principal=me).rows[0]["alert_id"])


def test_a_decision_is_appended_with_what_was_before(wh: Warehouse, me: Principal, alert: str) -> None:
    made = decide(wh, alert, 1, principal=me, verdict="keep", reason="benign", note="a known page", seen={"score": 1.5})
    assert (made.version, made.status, made.before["status"]) == (2, "decided", "open")
    row = queue_page(wh, principal=me).rows[0]
    assert (row["status"], row["verdict"], row["reason"], row["state_actor"], row["version"]) == (
        "decided",
        "keep",
        "benign",
        "ada",
        2,
    )
    second = decide(wh, alert, 2, principal=me, verdict="quarantine", reason="true_positive")
    assert second.before["verdict"] == "keep"
    history = alert_detail(wh, alert, principal=me).history
    assert [entry["kind"] for entry in history] == ["opened", "evidence", "decided", "decided"]
    assert history[2]["note"] == "a known page"
    everything = wh.cursor().execute("SELECT string_agg(payload, ' ') FROM audit_log").fetchall()[0][0]
    assert "a known page" not in everything
    assert audit.verify(wh).ok


def test_two_at_the_same_instant_one_wins_the_other_is_told(wh: Warehouse, alert: str) -> None:
    barrier = threading.Barrier(8)
    won: list[str] = []
    lost: list[RefusedError] = []

    def reviewer(name: str) -> None:
        barrier.wait()
        try:
            decide(wh, alert, 1, principal=Principal(name, "reviewer"), verdict="keep", reason="benign")
            won.append(name)
        except RefusedError as error:
            lost.append(error)

    threads = [threading.Thread(target=reviewer, args=(f"r{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert len(lost) == 7
    for error in lost:
        assert error.reason == Refusal.STALE_VERSION
        assert won[0] in str(error)
        assert "keep" in str(error)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"verdict": "delete"}, InputError),
        ({"reason": "dunno"}, InputError),
        ({"note": "x" * 10_001}, InputError),
        ({"principal": Principal("v", "viewer")}, PermissionRefusedError),
        ({"principal": Principal("t", "admin", mode="token")}, RefusedError),
        ({"principal": Principal("b", "admin", frozenset({"b"}))}, InputError),
    ],
)
def test_what_is_no_decision_changes_nothing(
    wh: Warehouse, me: Principal, alert: str, change: dict, kind: type
) -> None:
    before = audit.head(wh)
    arguments = {"principal": me, "verdict": "keep", "reason": "benign"} | change
    with pytest.raises(kind):
        decide(wh, alert, 1, **arguments)
    assert audit.head(wh) == before


def _reader(wh: Warehouse) -> PublicationReader:
    return PublicationReader(wh.side.folder("published"))


def test_a_hold_is_in_force_until_any_decision(wh: Warehouse, me: Principal, alert: str) -> None:
    reader = _reader(wh)
    assert reader.read().state == "missing"
    made = hold(wh, alert, principal=me, hours=2, reason="looks planted")
    assert made.expires_at - utc_now() <= timedelta(hours=2)
    first = reader.read()
    assert first.in_force.excluded_by("c", "d0") == "hold"
    assert first.in_force.excluded_by("c", "d1") == ""
    later = made.expires_at.replace(tzinfo=first.in_force.published_at.tzinfo) + timedelta(seconds=1)
    assert first.in_force.excluded_by("c", "d0", later) == "", "it ends by itself, whoever reads"
    decide(wh, alert, 1, principal=me, verdict="needs_verification", reason="other")
    assert reader.read().in_force.excluded_by("c", "d0") == ""
    (row,) = list_holds(wh, principal=me, active_only=False)
    assert (row["active"], row["cause"]) == (False, "decided")


def test_a_hold_can_be_ended_once(wh: Warehouse, me: Principal, alert: str) -> None:
    made = hold(wh, alert, principal=me, hours=1, reason="x")
    end_hold(wh, made.hold_id, principal=me)
    assert _reader(wh).read().in_force.held == {}
    with pytest.raises(RefusedError) as caught:
        end_hold(wh, made.hold_id, principal=me)
    assert caught.value.reason == Refusal.NOTHING_TO_DO
    with pytest.raises(InputError, match="no hold"):
        end_hold(wh, made.hold_id, principal=Principal("b", "admin", frozenset({"b"})))


def test_an_expired_hold_is_not_active(wh: Warehouse, me: Principal, alert: str, monkeypatch) -> None:
    hold(wh, alert, principal=me, hours=1, reason="x")
    later = utc_now() + timedelta(hours=1, seconds=1)
    monkeypatch.setattr(holds, "utc_now", lambda: later)
    assert list_holds(wh, principal=me) == []


@pytest.mark.parametrize("arguments", [{"hours": 0}, {"hours": 721}, {"reason": " "}])
def test_what_is_no_hold(wh: Warehouse, me: Principal, alert: str, arguments: dict) -> None:
    with pytest.raises(InputError):
        hold(wh, alert, principal=me, **({"hours": 1, "reason": "x"} | arguments))
