"""The chain: recomputed by hand, broken on purpose in every way a writer of the file could."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from warehouse import audit
from warehouse.audit import AuditHead
from warehouse.database import Warehouse
from warehouse.errors import PermissionRefusedError, StorageError
from warehouse.principal import Principal


@pytest.fixture
def chain(wh: Warehouse) -> Warehouse:
    with wh.transaction() as cursor:
        for number in range(1, 6):
            audit.append(cursor, "ada", "tested", f"thing-{number}", {"n": number, "umlaut": "ä"})
    return wh


def test_hash_is_what_the_docstring_says(chain: Warehouse) -> None:
    rows = chain.cursor().execute("SELECT * FROM audit_log ORDER BY sequence").fetchall()
    previous = "0" * 64
    for sequence, acted_at, actor, action, object_id, payload, stated, digest in rows:
        assert stated == previous
        text = json.dumps(
            [sequence, acted_at.isoformat(timespec="microseconds"), actor, action, object_id, payload, stated],
            separators=(",", ":"),
            ensure_ascii=False,
        )
        previous = hashlib.sha256(text.encode()).hexdigest()
        assert digest == previous
    report = audit.verify(chain)
    assert (report.ok, report.rows, report.head) == (True, 5, AuditHead(5, previous))
    assert "tail" in report.unproved


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ("UPDATE audit_log SET payload = '{}' WHERE sequence = 3", 3),
        ("UPDATE audit_log SET actor = 'eve' WHERE sequence = 1", 1),
        ("UPDATE audit_log SET acted_at = acted_at + INTERVAL 1 MICROSECOND WHERE sequence = 2", 2),
        ("DELETE FROM audit_log WHERE sequence = 2", 2),
        ("DELETE FROM audit_log WHERE sequence = 1", 1),
        ("UPDATE audit_log SET previous_hash = hash WHERE sequence = 4", 4),
        ("INSERT INTO audit_log SELECT * FROM audit_log WHERE sequence = 4", 5),
    ],
)
def test_verify_says_where_it_breaks(chain: Warehouse, change: str, where: int) -> None:
    with chain.transaction() as cursor:
        cursor.execute(change)
    report = audit.verify(chain)
    assert not report.ok
    assert report.broken_at == where
    assert report.problem


def test_a_cut_tail_shows_only_against_a_kept_head(chain: Warehouse) -> None:
    kept = audit.head(chain)
    with chain.transaction() as cursor:
        cursor.execute("DELETE FROM audit_log WHERE sequence > 3")
    assert audit.verify(chain).ok, "this is what a chain alone cannot show"
    report = audit.verify(chain, against=[kept])
    assert not report.ok
    assert report.broken_at == 5
    assert "cut off" in report.problem


def test_a_rewritten_chain_differs_from_a_kept_head(chain: Warehouse) -> None:
    kept = audit.head(chain)
    with chain.transaction() as cursor:
        cursor.execute("DELETE FROM audit_log")
    with chain.transaction() as cursor:
        for _ in range(5):
            audit.append(cursor, "eve", "rewrote", "x", {})
    assert audit.verify(chain).ok
    assert audit.verify(chain, against=[kept]).broken_at == 5


def test_heads_are_kept_outside(chain: Warehouse, tmp_path: Path) -> None:
    sink = tmp_path / "heads.jsonl"
    first = audit.append_head(chain, sink)
    with chain.transaction() as cursor:
        audit.append(cursor, "ada", "tested", "x", {})
    second = audit.append_head(chain, sink)
    assert audit.read_heads(sink) == [first, second]
    assert audit.verify(chain, against=audit.read_heads(sink)).ok
    with chain.transaction() as cursor:
        cursor.execute("DELETE FROM audit_log WHERE sequence = 6")
    assert audit.verify(chain, against=audit.read_heads(sink)).broken_at == 6
    sink.write_text('{"sequence": 1}\n')
    with pytest.raises(InputError, match=r"heads\.jsonl:1"):
        audit.read_heads(sink)
    (tmp_path / "link").symlink_to(sink)
    with pytest.raises(StorageError):
        audit.append_head(chain, tmp_path / "link")
    with pytest.raises(InputError):
        audit.read_heads(tmp_path / "missing")


def test_contradicting_heads_are_refused(chain: Warehouse) -> None:
    with pytest.raises(InputError, match="two different heads"):
        audit.verify(chain, against=[AuditHead(2, "a"), AuditHead(2, "b")])


def test_commitments_can_be_proved_and_forgotten(wh: Warehouse) -> None:
    with wh.transaction() as cursor:
        audit.append(cursor, "ada", "tested", "x", {"n": 1}, {"text": "a secret"})
    cursor = wh.cursor()
    payload = cursor.execute("SELECT payload FROM audit_log").fetchall()[0][0]
    salt = cursor.execute("SELECT salt FROM audit_salts WHERE sequence = 1").fetchall()[0][0]
    assert "secret" not in payload
    assert json.loads(payload)["text"] == hashlib.sha256(f"{salt}a secret".encode()).hexdigest()
    with wh.transaction() as inner:
        inner.execute("DELETE FROM audit_salts")
    assert audit.verify(wh).ok


def test_an_audit_row_needs_its_transaction(wh: Warehouse) -> None:
    with pytest.raises(RuntimeError, match="transaction of the change"):
        audit.append(wh.cursor(), "ada", "tested", "x", {})


def test_transactions_side_by_side_chain_in_the_order_of_their_commits(wh: Warehouse) -> None:
    with wh.transaction() as slow:
        slow.execute("INSERT INTO warehouse_facts VALUES ('slow', '1')")
        audit.append(slow, "ada", "slow", "x", {})
        thread = threading.Thread(target=_quick, args=(wh,))
        thread.start()
        thread.join()
        assert audit.head(wh).sequence == 1, "the quick one passed the slow one"
    assert [row[0] for row in wh.cursor().execute("SELECT action FROM audit_log ORDER BY sequence").fetchall()] == [
        "quick",
        "slow",
    ]
    assert audit.verify(wh).ok


def _quick(wh: Warehouse) -> None:
    with wh.transaction(urgent=True) as cursor:
        audit.append(cursor, "bob", "quick", "x", {})


def test_a_rolled_back_change_leaves_no_row(wh: Warehouse) -> None:
    with pytest.raises(ZeroDivisionError), wh.transaction() as cursor:  # noqa: PT012
        audit.append(cursor, "ada", "tested", "x", {})
        _ = 1 / 0
    assert audit.head(wh) == AuditHead(0, "0" * 64)


def test_pages_and_who_may_read_them(chain: Warehouse, me: Principal) -> None:
    page = audit.audit_page(chain, principal=me, limit=2, offset=1)
    assert page.total == 5
    assert [row["object"] for row in page.rows] == ["thing-4", "thing-3"]
    assert audit.audit_page(chain, principal=me, object_id="thing-2").total == 1
    for refused in (Principal("v", "reviewer"), Principal("t", "admin", frozenset({"a"}))):
        with pytest.raises(PermissionRefusedError):
            audit.audit_page(chain, principal=refused)


def test_the_export_verifies_outside(chain: Warehouse, me: Principal) -> None:
    previous = "0" * 64
    for row in audit.export(chain, principal=me):
        text = json.dumps(
            [
                row["sequence"],
                row["acted_at"],
                row["actor"],
                row["action"],
                row["object"],
                json.dumps(row["payload"], sort_keys=True, separators=(",", ":"), ensure_ascii=False),
                previous,
            ],
            separators=(",", ":"),
            ensure_ascii=False,
        )
        previous = hashlib.sha256(text.encode()).hexdigest()
        assert row["hash"] == previous
