"""Publication of what is in force for other processes; read by :class:`ragsieve_core.publication.PublicationReader`.

The number is given out in the transaction that changes what is in force; the file follows the commit. A kill in between
is mended by :func:`ensure_published` at the next start: under a new number, so that readers never see one go back.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from ragsieve_core.publication import FORMAT, encode_publication
from warehouse import audit, sql
from warehouse.database import Warehouse
from warehouse.facts import ensure_fact
from warehouse.ids import utc_now
from warehouse.principal import Principal


def _iso(moment: datetime) -> str:
    return moment.replace(tzinfo=UTC).isoformat()


def content(cursor: duckdb.DuckDBPyConnection, now: datetime) -> dict[str, Any]:
    """What is in force at ``now`` (naive UTC), without number and time of publication."""
    current = sql.first(cursor, "SELECT quarantine_id FROM quarantine_current")
    quarantined = sql.run(cursor, "in_force_quarantined").fetchall()
    held = sql.run(cursor, "in_force_held", now=now).fetchall()
    unadmitted = sql.run(cursor, "in_force_unadmitted").fetchall()
    tenants = {tuple(row) for row in sql.run(cursor, "in_force_tenants", now=now).fetchall()}
    credentials = sql.rows(cursor, "publish_credentials", now=now)
    key = sql.first(cursor, "SELECT value FROM warehouse_facts WHERE name = 'query_key'")
    policy = sql.first(cursor, "SELECT policy_id, rules FROM policy_current")
    return {
        "format": FORMAT,
        "policy_version": str(policy[0]) if policy else None,
        "policy": json.loads(policy[1]) if policy else [],
        "quarantine_version": str(current[0]) if current else None,
        "quarantined": [list(row) for row in quarantined],
        "held": [[corpus, name, _iso(end)] for corpus, name, end in held],
        "unadmitted": [[corpus, name] for corpus, name, _ in unadmitted],
        "tenants": [list(row) for row in sorted(tenants | {tuple(row) for row in unadmitted})],
        "credentials": [
            row | {"expires_at": _iso(row["expires_at"]) if row["expires_at"] is not None else None}
            for row in credentials
        ],
        "query_key": str(key[0]) if key else "",
    }


def prepare(cursor: duckdb.DuckDBPyConnection, principal: Principal, cause: str) -> tuple[dict[str, Any], bytes]:
    """Give out the next number for what is in force now, within the caller's write transaction.

    Returns the pointer and the file's bytes for :func:`release`, to be called after the commit.
    """
    now = utc_now()
    ensure_fact(cursor, "query_key")
    last = sql.first(cursor, "SELECT coalesce(max(number), 0) FROM publications")
    number = int(last[0] if last else 0) + 1
    body = content(cursor, now)
    data = encode_publication(body | {"number": number, "published_at": _iso(now)})
    digest = hashlib.sha256(data).hexdigest()
    file = f"{number:010d}-{digest[:16]}.json"
    cursor.execute(
        "INSERT INTO publications VALUES (?, ?, ?, ?, ?, ?, ?)",
        [number, body["quarantine_version"], file, digest, cause, now, principal.identity],
    ).complete()
    audit.append(
        cursor,
        principal.identity,
        "published",
        file,
        {"number": number, "quarantine": body["quarantine_version"], "cause": cause, "file": digest},
    )
    return {"number": number, "file": file, "sha256": digest, "confirmed_at": _iso(now)}, data


def release(wh: Warehouse, pointer: dict[str, Any], data: bytes) -> int:
    """Write the file, then move the pointer to it; returns the number."""
    folder = wh.side.folder("published")
    wh.side.write(folder / str(pointer["file"]), lambda stream: stream.write(data))
    _point(wh, pointer)
    return int(pointer["number"])


def _point(wh: Warehouse, pointer: dict[str, Any], *, durable: bool = True) -> None:
    target = wh.side.folder("published") / "current"
    standing = read_pointer(target)
    if standing is not None and int(standing["number"]) > int(pointer["number"]):
        # Two threads committed in one order and write in the other: the later number stands.
        return
    text = json.dumps(pointer).encode()
    wh.side.write(target, lambda stream: stream.write(text), durable=durable)


def read_pointer(path: Path) -> dict[str, Any] | None:
    """The pointer file, or None where it is missing or broken."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("number"), int) else None


def publish(wh: Warehouse, *, principal: Principal, cause: str) -> int:
    """Publish what is in force now under a new number, which is returned."""
    with wh.publishing:
        return release(wh, *wh.run_transaction(lambda cursor: prepare(cursor, principal, cause), urgent=True))


def refresh_guarded(wh: Warehouse, corpus_id: str, *, principal: Principal) -> None:
    """Tell other processes what a corpus that does not admit at once admits now; nothing for other corpora."""
    with wh.reading() as cursor:
        found = sql.first(cursor, "SELECT admission FROM corpus_current WHERE corpus_id = ?", [corpus_id])
    if found is not None and found[0] != "at_once":
        ensure_published(wh, principal=principal)


def ensure_published(wh: Warehouse, *, principal: Principal) -> int:
    """Make the pointer say what is in force: for the start of an owner, and now and then while it runs.

    Publishes anew if the pointer is missing, behind, or what is in force has changed by itself (a hold that ran out
    needs no new number: its end stands in the file); else confirms the standing one. Returns the number.
    """
    with wh.publishing:
        standing = read_pointer(wh.side.folder("published") / "current")
        with wh.reading() as cursor:
            last = sql.first(cursor, "SELECT number, file, sha256 FROM publications ORDER BY number DESC LIMIT 1")
            now = content(cursor, utc_now())
        sound = standing is not None and last is not None and standing["number"] == last[0]
        if sound and last is not None:
            try:
                data = (wh.side.folder("published") / str(last[1])).read_bytes()
            except OSError:
                data = b""
            sound = hashlib.sha256(data).hexdigest() == last[2]
            if sound:
                told = json.loads(data)
                same = ("quarantine_version", "quarantined", "unadmitted", "query_key", "policy_version")
                sound = all(told.get(name) == now[name] for name in same)
                # Holds and tokens that ran out need no new number: their ends stand in the file
                for name in ("held", "tenants", "credentials"):
                    sound = sound and all(entry in told.get(name, ()) for entry in now[name])
        if sound and last is not None:
            _point(
                wh,
                {"number": last[0], "file": last[1], "sha256": last[2], "confirmed_at": _iso(utc_now())},
                durable=False,
            )
            return int(last[0])
        return release(wh, *wh.run_transaction(lambda cursor: prepare(cursor, principal, "start"), urgent=True))
