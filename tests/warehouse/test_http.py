from __future__ import annotations

import json

import pytest

from tests.warehouse.builders import documents, event_of
from warehouse import taking
from warehouse.database import Warehouse
from warehouse.errors import StorageError
from warehouse.http import check_request, handle_ingest
from warehouse.principal import Principal
from warehouse.segment_kinds import documents_segment, events_segment, snapshot_request
from warehouse.segments import SegmentLimits
from warehouse.snapshots import latest_snapshot, load_snapshot
from warehouse.tokens import issue_token


@pytest.fixture
def send(wh: Warehouse, me: Principal):
    secrets = {
        scope: issue_token(wh, principal=me, name=scope, scope=scope, tenant="a").secret
        for scope in ("ingest", "gate", "read")
    }

    def call(body: bytes, scope: str = "ingest", *, method: str = "POST", limits=SegmentLimits(), **headers: str):  # noqa: B008
        given = {"Authorization": f"Bearer {secrets.get(scope, scope)}", "content-length": str(len(body))} | headers
        return handle_ingest(wh, method, given, body, limits=limits)

    return call


def test_documents_come_in_for_the_tokens_tenant(wh: Warehouse, me: Principal, send) -> None:
    data = documents_segment("c", [documents(3)])
    first, again = send(data), send(data)
    assert (first.status, first.body["state"], first.body["result"]["accepted"]) == (200, "taken", 3)
    assert again.body == first.body
    assert json.loads(first.content)["segment_id"] == first.body["segment_id"]
    snapshot = latest_snapshot(wh, "c", principal=me)
    assert snapshot is not None
    assert load_snapshot(wh, snapshot.snapshot_id, principal=me).tenants == ["a"] * 3


def test_a_receipt_belongs_to_the_token_that_brought_the_segment(wh: Warehouse, me: Principal, send) -> None:
    """The same bytes under another token: neither its receipt nor a false "taken"."""
    data = documents_segment("c", [documents(3)])
    assert send(data).status == 200
    assert send(data, "gate").status == 403
    other = issue_token(wh, principal=me, name="b", scope="ingest", tenant="b").secret
    answer = handle_ingest(wh, "POST", {"Authorization": f"Bearer {other}", "content-length": str(len(data))}, data)
    assert (answer.status, answer.body["reason"], answer.body["result"]) == (422, "not_yours", {})
    assert send(data).status == 200


def test_another_tenants_rows_are_rejected(send) -> None:
    answer = send(documents_segment("c", [documents(2, tenant="b")]))
    assert (answer.status, answer.body["result"]["accepted"], answer.body["result"]["rejected"]) == (200, 0, 2)
    assert send(events_segment([event_of("q", ["x", "y"], tenant="b")]), "gate").status == 422


def test_refusals_have_their_status(send) -> None:
    data = documents_segment("c", [documents(1)])
    assert send(data, "rgs.none.none").status == 401
    assert send(data, "read").status == 401
    assert send(data, "gate").status == 403
    assert send(events_segment([event_of("q", ["x", "y"], tenant="a")]), "ingest").status == 403
    assert send(snapshot_request("c"), "ingest").status == 403
    assert send(data, method="GET").status == 405
    assert send(data, **{"content-length": "many"}).status == 411
    assert send(data, **{"content-length": "9" * 20}).status == 413
    assert send(data, limits=SegmentLimits(max_bytes=10)).status == 413
    assert send(data, limits=SegmentLimits(max_bytes=10), **{"content-length": "5"}).status == 413
    bad = send(b"not a segment")
    assert (bad.status, bad.body["reason"]) == (422, "bad_segment")
    assert send(data, Authorization="Basic eA==").status == 401


def test_a_refusal_needs_no_body(wh: Warehouse) -> None:
    answer = check_request(wh, "POST", {"Content-Length": "99999999999"})
    assert answer is not None
    assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_a_full_disk_can_be_tried_again(send, monkeypatch) -> None:
    def full(*_arguments: object, **_named: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(taking, "ingest", full)
    answer = send(documents_segment("c", [documents(1)]))
    assert (answer.status, answer.headers["Retry-After"]) == (503, "30")
    monkeypatch.undo()
    assert send(documents_segment("c", [documents(1)])).status == 200
