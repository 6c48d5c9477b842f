from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.publication import PublicationReader
from tests.warehouse.builders import documents, event_of, scan_of
from warehouse import audit, publish
from warehouse.alerts import queue_page
from warehouse.corpora import ensure_corpus
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import PermissionRefusedError, RefusedError
from warehouse.events import record_events
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.provenance import admit, risk_history, set_risk_tier, set_trust, trust_history
from warehouse.publish import ensure_published, read_pointer
from warehouse.quarantine import (
    current_version,
    diff_versions,
    list_versions,
    propose,
    propose_rollback,
    publish_version,
    reject_version,
    version_members,
)
from warehouse.refusals import Refusal
from warehouse.scans import record_scan
from warehouse.snapshots import load_snapshot

ANN = Principal("ann", "approver")


@pytest.fixture
def alerts(wh: Warehouse, me: Principal) -> dict[str, str]:
    ingest(wh, "c", [documents(2, tenant="a"), documents(2, start=2, tenant="b")], principal=me)
    record_events(
        wh,
        [event_of("q1", ["d0", "d1"], {"d0", "d1"}), event_of("q2", ["d2", "d3"], {"d2"})],
        principal=me,
    )
    return {row["document_id"]: row["alert_id"] for row in queue_page(wh, principal=me).rows}


def _quarantined(wh: Warehouse) -> set[str]:
    reading = PublicationReader(wh.side.folder("published"), missing="open").read()
    return {name for _, name in reading.in_force.quarantined}


def test_propose_publish_release_and_roll_back(wh: Warehouse, me: Principal, alerts) -> None:
    first = propose(wh, principal=me, add=[alerts["d0"], alerts["d2"]], note="copies")
    assert (first.state, first.members, first.parent_id) == ("proposed", 2, None)
    assert _quarantined(wh) == set(), "a proposal changes nothing"
    first = publish_version(wh, first.quarantine_id, principal=ANN)
    assert (first.state, first.approved_by) == ("in_force", "ann")
    assert _quarantined(wh) == {"d0", "d2"}
    second = propose(wh, principal=me, add=[alerts["d1"]], remove=[("c", "d2")])
    assert diff_versions(wh, first.quarantine_id, second.quarantine_id, principal=me) == diff_versions(
        wh, first.quarantine_id, second.quarantine_id, principal=me
    )
    diff = diff_versions(wh, first.quarantine_id, second.quarantine_id, principal=me)
    assert (diff.added, diff.removed) == ((("c", "d1"),), (("c", "d2"),))
    publish_version(wh, second.quarantine_id, principal=ANN)
    assert _quarantined(wh) == {"d0", "d1"}
    back = propose_rollback(wh, first.quarantine_id, principal=me)
    assert back.restores_id == first.quarantine_id
    publish_version(wh, back.quarantine_id, principal=ANN)
    assert _quarantined(wh) == {"d0", "d2"}
    assert [version.state for version in list_versions(wh, principal=me)] == ["in_force", "superseded", "superseded"]
    assert current_version(wh, principal=me).quarantine_id == back.quarantine_id
    assert audit.verify(wh).ok


def test_a_changed_letter_does_not_free_a_document(wh: Warehouse, me: Principal, alerts) -> None:
    from ragsieve_core.formats.records import RecordBatchColumns

    version = propose(wh, principal=me, add=[alerts["d0"]])
    publish_version(wh, version.quarantine_id, principal=ANN)
    ingest(wh, "c", [RecordBatchColumns(id=["d0"], text=["text 0."], tenant=["a"])], principal=me)
    ensure_published(wh, principal=me)
    assert _quarantined(wh) == {"d0"}


def test_refusals(wh: Warehouse, me: Principal, alerts) -> None:
    one, other = (propose(wh, principal=me, add=[alerts[name]]) for name in ("d0", "d1"))

    def reason(call) -> str:
        with pytest.raises(RefusedError) as caught:
            call()
        return str(caught.value.reason)

    assert reason(lambda: publish_version(wh, one.quarantine_id, principal=me)) == Refusal.SAME_PERSON
    publish_version(wh, one.quarantine_id, principal=ANN)
    assert reason(lambda: publish_version(wh, one.quarantine_id, principal=ANN)) == Refusal.NOT_PROPOSED
    assert reason(lambda: publish_version(wh, other.quarantine_id, principal=ANN)) == Refusal.PARENT_CHANGED
    assert reason(lambda: propose(wh, principal=me, add=[alerts["d0"]])) == Refusal.NOTHING_TO_DO
    assert reason(lambda: propose_rollback(wh, one.quarantine_id, principal=me)) == Refusal.NOTHING_TO_DO
    assert reject_version(wh, other.quarantine_id, principal=me).state == "rejected"
    assert reason(lambda: reject_version(wh, other.quarantine_id, principal=me)) == Refusal.NOT_PROPOSED
    with pytest.raises(PermissionRefusedError):
        publish_version(wh, one.quarantine_id, principal=Principal("r", "reviewer"))
    with pytest.raises(InputError, match="not quarantined"):
        propose(wh, principal=me, remove=[("c", "d3")])
    third = propose(wh, principal=me, add=[alerts["d1"]])
    with pytest.raises(PermissionRefusedError):
        reject_version(wh, third.quarantine_id, principal=Principal("r", "reviewer"))


def test_single_user_mode_is_recorded(wh: Warehouse, alerts) -> None:
    local = Principal("ada", "admin", mode="single_user_mode")
    version = propose(wh, principal=local, add=[alerts["d0"]])
    assert publish_version(wh, version.quarantine_id, principal=local).approved_by == "single_user_mode"


def test_tenants(wh: Warehouse, me: Principal, alerts) -> None:
    bea = Principal("bea", "approver", frozenset({"b"}))
    version = propose(wh, principal=me, add=[alerts["d0"], alerts["d2"]])
    assert [row["document_id"] for row in version_members(wh, version.quarantine_id, principal=bea)] == ["d2"]
    assert list_versions(wh, principal=bea)[0].members == 1
    with pytest.raises(PermissionRefusedError):
        publish_version(wh, version.quarantine_id, principal=bea)
    with pytest.raises(InputError, match="no alert"):
        propose(wh, principal=bea, add=[alerts["d0"]])
    publish_version(wh, version.quarantine_id, principal=ANN)
    with pytest.raises(InputError, match="not quarantined"):
        propose(wh, principal=bea, remove=[("c", "d0")])


READER = """
import sys
from ragsieve_core.publication import PublicationReader
reader = PublicationReader(sys.argv[1], missing="open")
for line in sys.stdin:
    reading = reader.read()
    print(reading.state, reading.in_force.number, sorted(name for _, name in reading.in_force.quarantined), flush=True)
"""


def test_another_process_sees_it_with_its_next_request(wh: Warehouse, me: Principal, alerts, python) -> None:
    gate = python(READER, wh.side.folder("published"))

    def ask() -> str:
        gate.stdin.write("?\n")
        gate.stdin.flush()
        return gate.stdout.readline().strip()

    assert ask() == "missing 0 []"
    version = propose(wh, principal=me, add=[alerts["d0"]])
    publish_version(wh, version.quarantine_id, principal=ANN)
    assert ask() == "ok 1 ['d0']"
    publish_version(wh, propose(wh, principal=me, remove=[("c", "d0")]).quarantine_id, principal=ANN)
    assert ask() == "ok 2 []"


def test_a_kill_between_commit_and_file_is_mended_at_the_next_start(tmp_path: Path, monkeypatch) -> None:
    path, me = tmp_path / "w.duckdb", Principal("ada", "admin")
    with Warehouse.open(path, command="x") as wh:
        ingest(wh, "c", [documents(2)], principal=me)
        record_events(wh, [event_of("q", ["d0", "d1"], {"d0"})], principal=me)
        alert = queue_page(wh, principal=me).rows[0]["alert_id"]
        version = propose(wh, principal=me, add=[alert])

        def killed(*_arguments: object) -> int:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(publish, "release", killed)
            with pytest.raises(KeyboardInterrupt):
                publish_version(wh, version.quarantine_id, principal=ANN)
        assert _quarantined(wh) == set()
    with Warehouse.open(path, command="y") as wh:
        assert _quarantined(wh) == {"d0"}
        pointer = read_pointer(wh.side.folder("published") / "current")
        assert pointer is not None
        assert pointer["number"] == 2, "the number that got no file is not used again"
        assert audit.verify(wh).ok


def test_confirming_keeps_the_number_and_a_lost_file_gets_a_new_one(wh: Warehouse, me: Principal) -> None:
    first = ensure_published(wh, principal=me)
    before = read_pointer(wh.side.folder("published") / "current")
    assert ensure_published(wh, principal=me) == first
    after = read_pointer(wh.side.folder("published") / "current")
    assert before is not None
    assert after is not None
    assert before["sha256"] == after["sha256"]
    assert before["confirmed_at"] < after["confirmed_at"]
    (wh.side.folder("published") / after["file"]).unlink()
    assert ensure_published(wh, principal=me) == first + 1
    (wh.side.folder("published") / "current").write_text("{")
    assert ensure_published(wh, principal=me) == first + 2


def _unadmitted(wh: Warehouse) -> set[str]:
    reading = PublicationReader(wh.side.folder("published"), missing="open").read()
    return {name for _, name in reading.in_force.unadmitted}


def test_admission_after_a_scan(wh: Warehouse, me: Principal) -> None:
    ensure_corpus(wh, "c", principal=me, admission="after_scan")
    result = ingest(wh, "c", [documents(3)], principal=me)
    assert _unadmitted(wh) == {"d0", "d1", "d2"}
    versions = load_snapshot(wh, str(result.snapshot), principal=me).version_ids
    record_scan(wh, scan_of(str(result.snapshot), versions, {1}), principal=me)
    assert _unadmitted(wh) == {"d1"}, "what was flagged waits for a decision"
    alert = queue_page(wh, principal=me).rows[0]
    decide(wh, alert["alert_id"], alert["version"], principal=me, verdict="keep", reason="benign")
    assert _unadmitted(wh) == set()


def test_admission_after_review(wh: Warehouse, me: Principal) -> None:
    ensure_corpus(wh, "c", principal=me, admission="after_review")
    ingest(wh, "c", [documents(3)], principal=me)
    admit(wh, "c", ["d0", "d2"], principal=me, note="checked")
    assert _unadmitted(wh) == {"d1"}
    from ragsieve_core.formats.records import RecordBatchColumns

    ingest(wh, "c", [RecordBatchColumns(id=["d0"], text=["changed"])], principal=me)
    assert _unadmitted(wh) == {"d0", "d1"}, "another text was not reviewed"
    with pytest.raises(InputError, match="no document"):
        admit(wh, "c", ["ghost"], principal=me)


def test_trust_and_tiers_have_histories(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(2)], principal=me)
    set_trust(wh, "c", "source", "https://example.org/", "neutral", principal=me)
    set_trust(wh, "c", "source", "https://example.org/", "untrusted", principal=ANN, note="took over")
    set_trust(wh, "c", "contributor", "bob", "trusted", principal=me)
    found = [(row["name"], row["trust"], row["in_force"], row["actor"]) for row in trust_history(wh, "c", principal=me)]
    assert found == [
        ("bob", "trusted", True, "ada"),
        ("https://example.org/", "untrusted", True, "ann"),
        ("https://example.org/", "neutral", False, "ada"),
    ]
    set_risk_tier(wh, "c", 2, principal=me)
    set_risk_tier(wh, "c", 3, principal=me, document_id="d1")
    found = [(row["document_id"], row["tier"], row["in_force"]) for row in risk_history(wh, "c", principal=me)]
    assert found == [("d1", 3, True), ("", 2, True)]
    for call in (
        lambda: set_trust(wh, "c", "source", "x", "maybe", principal=me),
        lambda: set_risk_tier(wh, "c", 4, principal=me),
        lambda: set_risk_tier(wh, "c", 1, principal=me, document_id="ghost"),
        lambda: set_risk_tier(wh, "c", 1, principal=Principal("r", "reviewer")),
    ):
        with pytest.raises(InputError):
            call()
    assert "example.org" not in json.dumps(audit.export(wh, principal=me))
