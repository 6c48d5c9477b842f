from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.services.webhook import Webhook, deliver_version, read_secret
from ragsieve_core.errors import InputError
from ragsieve_core.review.signing import NONCE, SIGNATURE, TIMESTAMP, check
from tests.warehouse.desk import ADA, BOB, CY, LOCAL, OF_B, fill
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import PermissionRefusedError
from warehouse.index_export import list_receipts

HOOK = Webhook("https://index.example/hook?token=abc", b"0123456789abcdef")
PUBLIC = "93.184.215.14"


@pytest.fixture
def wh(tmp_path: Path, new_warehouse):
    with Warehouse.open(new_warehouse(tmp_path / "w.duckdb"), command="pytest") as opened:
        yield opened


@pytest.fixture
def version(wh: Warehouse) -> str:
    name = fill(wh)["d0"]
    done = decide(wh, name, 1, principal=LOCAL, verdict="quarantine", reason="true_positive", at_once=True)
    return str(done.quarantine_id)


class Index:
    """An index that answers these, in turn."""

    def __init__(self, *answers: int | OSError) -> None:
        self.answers = list(answers)
        self.got: list[tuple[str, bytes, dict[str, str]]] = []
        self.pauses: list[float] = []

    def send(self, target, address, body, headers):
        self.got.append((address, body, headers))
        answer = self.answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer, "thanks"

    def deliver(self, wh, version, *, hook=HOOK, addresses=(PUBLIC,), who=BOB):
        return deliver_version(
            wh,
            version,
            hook,
            principal=who,
            pause=self.pauses.append,
            resolver=lambda h, p: addresses,
            sender=self.send,
        )


def test_signed_ids_and_hashes_and_a_receipt(wh: Warehouse, version: str) -> None:
    index = Index(204)
    receipt = index.deliver(wh, version)
    ((address, body, headers),) = index.got
    assert address == PUBLIC
    moment = float(headers[TIMESTAMP])
    assert check(HOOK.secret, headers[TIMESTAMP], headers[NONCE], headers[SIGNATURE], body, moment) == ""
    (member,) = json.loads(body)["members"]
    assert (member["corpus"], member["document_id"], len(member["content_hash"])) == ("c", "d0", 64)
    assert "text" not in member
    (stored,) = list_receipts(wh, principal=ADA, quarantine_id=version)
    assert (stored["state"], stored["status_code"], stored["attempts"]) == ("delivered", 204, 1)
    assert stored["target"] == "https://index.example/hook", "the query may hold a secret"
    assert stored["body_sha256"] == receipt.body_sha256


def test_it_is_tried_again_with_growing_pauses_and_fresh_signatures(wh: Warehouse, version: str) -> None:
    index = Index(OSError("down"), 503, 200)
    assert index.deliver(wh, version).attempts == 3
    assert index.pauses == [1.0, 2.0]
    assert len({headers[NONCE] for _, _, headers in index.got}) == 3


def test_a_refusal_is_not_tried_again_and_a_failure_leaves_a_receipt(wh: Warehouse, version: str) -> None:
    index = Index(401)
    receipt = index.deliver(wh, version)
    assert (receipt.state, receipt.problem, receipt.attempts) == ("failed", "answered 401", 1)
    down = Index(*[OSError("down")] * 5)
    assert down.deliver(wh, version).attempts == 5
    assert down.pauses == [1, 2, 4, 8]
    assert [row["state"] for row in list_receipts(wh, principal=ADA)] == ["failed", "failed"]


def test_where_it_may_not_go(wh: Warehouse, version: str) -> None:
    index = Index(200)
    with pytest.raises(InputError, match="no public address"):
        index.deliver(wh, version, addresses=(PUBLIC, "10.0.0.1"))
    with pytest.raises(InputError):
        index.deliver(wh, version, hook=Webhook("http://index.example/", HOOK.secret))
    with pytest.raises(InputError, match="secret"):
        index.deliver(wh, version, hook=Webhook(HOOK.url, b"short"))
    for who in (CY, OF_B):
        with pytest.raises(PermissionRefusedError):
            index.deliver(wh, version, who=who)
    assert index.got == []
    inside = Webhook(HOOK.url, HOOK.secret, ("10.0.0.0/8",))
    assert index.deliver(wh, version, hook=inside, addresses=("10.0.0.1",)).state == "delivered"
    with pytest.raises(InputError):
        read_secret("short")
