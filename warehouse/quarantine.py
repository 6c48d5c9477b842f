"""Quarantine versions: immutable member sets that are proposed, published and rolled back, each as a new version.

A member is a document in whatever version: one changed letter must not free it. Nothing is deleted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from ragsieve_core.errors import InputError
from warehouse import audit, publish, sql
from warehouse.alerts import alert_row
from warehouse.database import Warehouse
from warehouse.errors import RefusedError
from warehouse.ids import canonical_json, new_id, utc_now
from warehouse.principal import Principal
from warehouse.refusals import Refusal

Key = tuple[str, str]
"""(corpus id, document id)."""


@dataclass(frozen=True, slots=True)
class QuarantineVersion:
    """One version; ``state`` is proposed, in_force, superseded or rejected."""

    quarantine_id: str
    sequence: int
    parent_id: str | None
    restores_id: str | None
    members: int
    state: str
    author: str
    approved_by: str | None
    note: str


@dataclass(frozen=True, slots=True)
class QuarantineDiff:
    """Documents (corpus name, document id) that the second version has more and less than the first."""

    added: tuple[Key, ...]
    removed: tuple[Key, ...]


def propose(
    wh: Warehouse,
    *,
    principal: Principal,
    add: Sequence[str] = (),
    remove: Sequence[Key] = (),
    note: str = "",
) -> QuarantineVersion:
    """Propose the version in force plus and minus some documents. It changes nothing until it is published.

    Parameters
    ----------
    add : alert ids; their documents go in.
    remove : (corpus name, document id) to release.

    Raises
    ------
    InputError
        unknown alert, or a document to release that is not quarantined.
    RefusedError
        ``nothing_to_do``: the set would stay the same.
    """
    principal.require_person("reviewer", "propose a quarantine version")

    def work(cursor: duckdb.DuckDBPyConnection) -> str:
        parent = _current(cursor)
        members = _members(cursor, parent) if parent else {}
        before = set(members)
        names = {row[1]: row[0] for row in cursor.execute("SELECT corpus_id, name FROM corpora").fetchall()}
        for corpus, document_id in remove:
            key = (names.get(corpus, ""), document_id)
            member = members.pop(key, None)
            if member is None or not principal.may_see(member["tenant"]):
                raise InputError(f"{document_id!r} of {corpus!r} is not quarantined", where="remove")
        for alert in add:
            row = alert_row(cursor, alert, principal)
            key = (row["corpus_id"], row["document_id"])
            members.setdefault(
                key,
                {
                    "corpus_id": key[0],
                    "document_id": key[1],
                    "tenant": row["tenant"],
                    "content_hash": row["content_hash"],
                    "alert_id": alert,
                },
            )
        if set(members) == before:
            raise RefusedError(Refusal.NOTHING_TO_DO, "the proposal changes nothing", do="add or remove a document")
        return _store(cursor, members, parent, None, principal, note)

    return get_version(wh, wh.run_transaction(work, urgent=True), principal=principal)


def publish_version(wh: Warehouse, quarantine_id: str, *, principal: Principal, note: str = "") -> QuarantineVersion:
    """Put a proposed version in force, at once and for other processes too.

    Raises
    ------
    RefusedError
        ``same_person``: the proposer may not approve (single-user mode excepted); ``not_proposed``;
        ``parent_changed``: another version came into force since, whose changes this one would undo.
    """
    principal.require_person("approver", "publish a quarantine version")

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[dict[str, Any], bytes]:
        row = _require_proposed(cursor, quarantine_id)
        single = principal.mode == "single_user_mode"
        if row["author"] == principal.identity and not single:
            raise RefusedError(
                Refusal.SAME_PERSON,
                f"{principal.identity} proposed this version",
                where=quarantine_id,
                expected="another approver",
            )
        if row["parent_id"] != _current(cursor):
            raise RefusedError(
                Refusal.PARENT_CHANGED,
                "another version came into force after this one was proposed",
                where=quarantine_id,
                expected=f"{row['parent_id'] or 'none'} in force, found {_current(cursor)}",
                do="propose it again",
            )
        _require_all_tenants(cursor, quarantine_id, principal)
        approved_by = "single_user_mode" if single else principal.identity
        _event(cursor, quarantine_id, principal, "published", approved_by, note)
        audit.append(
            cursor,
            principal.identity,
            "quarantine_published",
            quarantine_id,
            {
                "members": row["members"],
                "parent": row["parent_id"],
                "author": row["author"],
                "approved_by": approved_by,
            },
        )
        return publish.prepare(cursor, principal, "quarantine_published")

    with wh.publishing:
        publish.release(wh, *wh.run_transaction(work, urgent=True))
    return get_version(wh, quarantine_id, principal=principal)


def reject_version(wh: Warehouse, quarantine_id: str, *, principal: Principal, note: str = "") -> QuarantineVersion:
    """Turn a proposed version down; its author may withdraw it so, too."""
    principal.require_person("reviewer", "reject a quarantine version")

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        row = _require_proposed(cursor, quarantine_id)
        if row["author"] != principal.identity:
            principal.require("approver", "reject another person's proposal")
        _event(cursor, quarantine_id, principal, "rejected", None, note)
        audit.append(cursor, principal.identity, "quarantine_rejected", quarantine_id, {"author": row["author"]})

    wh.run_transaction(work, urgent=True)
    return get_version(wh, quarantine_id, principal=principal)


def propose_rollback(wh: Warehouse, restores: str, *, principal: Principal, note: str = "") -> QuarantineVersion:
    """Propose a new version with the members of an earlier one; publish it with :func:`publish_version`.

    Raises
    ------
    RefusedError
        ``nothing_to_do``: those members are in force now.
    """
    principal.require_person("reviewer", "propose a roll-back")

    def work(cursor: duckdb.DuckDBPyConnection) -> str:
        _version_row(cursor, restores)
        parent = _current(cursor)
        members = _members(cursor, restores)
        if parent is not None and set(members) == set(_members(cursor, parent)):
            raise RefusedError(Refusal.NOTHING_TO_DO, "these members are in force already", where=restores)
        return _store(cursor, members, parent, restores, principal, note)

    return get_version(wh, wh.run_transaction(work, urgent=True), principal=principal)


def _current(cursor: duckdb.DuckDBPyConnection) -> str | None:
    found = sql.first(cursor, "SELECT quarantine_id FROM quarantine_current")
    return str(found[0]) if found else None


def _members(cursor: duckdb.DuckDBPyConnection, quarantine_id: str) -> dict[Key, dict[str, Any]]:
    found = sql.rows(cursor, "quarantine_members", quarantine_id=quarantine_id, all_tenants=True, tenants=[""])
    columns = ("corpus_id", "document_id", "tenant", "content_hash", "alert_id")
    return {(row["corpus_id"], row["document_id"]): {name: row[name] for name in columns} for row in found}


def _store(
    cursor: duckdb.DuckDBPyConnection,
    members: dict[Key, dict[str, Any]],
    parent: str | None,
    restores: str | None,
    principal: Principal,
    note: str,
) -> str:
    quarantine_id = new_id("quar")
    digest = hashlib.sha256(canonical_json(sorted(map(list, members))).encode()).hexdigest()
    last = sql.first(cursor, "SELECT coalesce(max(sequence), 0) FROM quarantine_versions")
    cursor.execute(
        "INSERT INTO quarantine_versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            quarantine_id,
            int(last[0] if last else 0) + 1,
            parent,
            restores,
            len(members),
            digest,
            principal.identity,
            utc_now(),
            note,
        ],
    ).complete()
    rows = [{"quarantine_id": quarantine_id} | members[key] for key in sorted(members)]
    sql.insert(cursor, "quarantine_members", pa.Table.from_pylist(rows, schema=_MEMBERS))
    _event(cursor, quarantine_id, principal, "proposed", None, note)
    audit.append(
        cursor,
        principal.identity,
        "quarantine_proposed",
        quarantine_id,
        {"members": len(members), "members_hash": digest, "parent": parent, "restores": restores},
    )
    return quarantine_id


_MEMBERS = pa.schema(
    [
        (name, pa.string())
        for name in ("quarantine_id", "corpus_id", "document_id", "tenant", "content_hash", "alert_id")
    ]
)


def _event(
    cursor: duckdb.DuckDBPyConnection, name: str, principal: Principal, kind: str, approved_by: str | None, note: str
) -> None:
    cursor.execute(
        "INSERT INTO quarantine_events SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?, ? FROM quarantine_events",
        [name, utc_now(), principal.identity, kind, approved_by, note],
    ).complete()


def _version_row(cursor: duckdb.DuckDBPyConnection, quarantine_id: str) -> dict[str, Any]:
    found = sql.row(cursor, "quarantine_versions", quarantine_id=quarantine_id)
    if found is None:
        raise InputError(f"no quarantine version {quarantine_id!r}", where="quarantine", do="list them")
    return found


def _require_proposed(cursor: duckdb.DuckDBPyConnection, quarantine_id: str) -> dict[str, Any]:
    row = _version_row(cursor, quarantine_id)
    if row["state"] != "proposed":
        raise RefusedError(Refusal.NOT_PROPOSED, f"the version is {row['state']}", where=quarantine_id)
    return row


def _require_all_tenants(cursor: duckdb.DuckDBPyConnection, quarantine_id: str, principal: Principal) -> None:
    # One version is in force for all tenants: whoever changes another tenant's documents must be allowed to see them.
    parent = _current(cursor)
    before = _members(cursor, parent) if parent else {}
    after = _members(cursor, quarantine_id)
    for key in before.keys() ^ after.keys():
        principal.require_tenant((before.get(key) or after[key])["tenant"], "change the quarantine")


def get_version(wh: Warehouse, quarantine_id: str, *, principal: Principal) -> QuarantineVersion:
    """One version; ``members`` counts what the caller may see."""
    found = next((v for v in list_versions(wh, principal=principal) if v.quarantine_id == quarantine_id), None)
    if found is None:
        raise InputError(f"no quarantine version {quarantine_id!r}", where="quarantine", do="list them")
    return found


def current_version(wh: Warehouse, *, principal: Principal) -> QuarantineVersion | None:
    """The version in force, or None before the first."""
    return next((v for v in list_versions(wh, principal=principal) if v.state == "in_force"), None)


def list_versions(wh: Warehouse, *, principal: Principal) -> list[QuarantineVersion]:
    """Versions, latest first."""
    names = QuarantineVersion.__dataclass_fields__
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "quarantine_versions", quarantine_id="")
        if principal.tenants is not None:
            counted = dict(
                cursor.execute(
                    "SELECT quarantine_id, count(*) FROM quarantine_members WHERE list_contains(?, tenant) GROUP BY 1",
                    [sorted(principal.tenants)],
                ).fetchall()
            )
            for row in rows:
                row["members"] = counted.get(row["quarantine_id"], 0)
    return [QuarantineVersion(**{name: row[name] for name in names}) for row in rows]


def version_members(wh: Warehouse, quarantine_id: str, *, principal: Principal) -> list[dict[str, Any]]:
    """Members of a version that the caller may see, by corpus and document."""
    with wh.reading() as cursor:
        return sql.rows(cursor, "quarantine_members", quarantine_id=quarantine_id, **principal.scope())


def diff_versions(wh: Warehouse, first: str | None, second: str, *, principal: Principal) -> QuarantineDiff:
    """What changes from one version to another; ``first`` None stands for the empty set."""

    def keys(name: str | None) -> set[Key]:
        rows = version_members(wh, name, principal=principal) if name else []
        return {(row["corpus"], row["document_id"]) for row in rows}

    before, after = keys(first), keys(second)
    return QuarantineDiff(tuple(sorted(after - before)), tuple(sorted(before - after)))
