"""Quarantine versions: immutable member sets that are proposed, published and rolled back, each as a new version.

A member is a document in whatever version: one changed letter must not free it. Nothing is deleted. What a version
changes, and who proposed each change, is stored with it: nobody publishes a change that they proposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import duckdb

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.review.workflow import REASONS
from warehouse import audit, quarantine_store
from warehouse.acting import SINGLE, Acting, act
from warehouse.alerts import alert_row
from warehouse.database import Warehouse
from warehouse.desk_policy import policy_of
from warehouse.errors import RefusedError
from warehouse.ids import utc_now
from warehouse.principal import Principal
from warehouse.quarantine_store import Change, Key, require_all_tenants, require_proposed, version_row
from warehouse.quarantine_versions import (
    QuarantineDiff,
    QuarantineVersion,
    current_version,
    diff_versions,
    get_version,
    list_versions,
    version_members,
)
from warehouse.refusals import Refusal

__all__ = [
    "Key",
    "QuarantineDiff",
    "QuarantineVersion",
    "current_version",
    "diff_versions",
    "expire_members",
    "get_version",
    "list_versions",
    "propose",
    "propose_rollback",
    "publish_version",
    "reject_version",
    "version_members",
]


def propose(
    wh: Warehouse,
    *,
    principal: Principal,
    add: Sequence[str] = (),
    remove: Sequence[Key] = (),
    note: str = "",
    expires_at: datetime | None = None,
    release_reason: str = "benign",
    release_days: float | None = None,
) -> QuarantineVersion:
    """Propose the version in force plus and minus some documents. It changes nothing until it is published.

    Parameters
    ----------
    add : alert ids; their documents go in.
    remove : (corpus name, document id) to release.
    expires_at : naive UTC; when the added documents leave the quarantine by themselves; None = never.
    release_reason, release_days : why the removed texts are released, and for how many days they do not alert again
        under the same rule; None for the policy's.

    Raises
    ------
    InputError
        unknown alert or reason, a document to release that is not quarantined, or an end that is over.
    RefusedError
        ``nothing_to_do``: the set would stay the same.
    """
    principal.require_person("reviewer", "propose a quarantine version")
    if release_reason not in REASONS:
        raise InputError(
            f"unknown reason {release_reason!r}", where="reason", expected=nearest(release_reason, REASONS)
        )
    if release_days is not None and not 0 < release_days <= 3650:
        raise InputError(f"a release of {release_days} days", where="days", expected="above 0, at most 3650")
    if expires_at is not None and expires_at <= utc_now():
        raise InputError("the end of the quarantine is over", where="expires_at", expected="a later time")

    def work(cursor: duckdb.DuckDBPyConnection) -> str:
        parent = quarantine_store.current(cursor)
        held = quarantine_store.members(cursor, parent)
        before, changes, who = set(held), {}, principal.identity
        days = policy_of(cursor).release_days if release_days is None else release_days
        until = utc_now() + timedelta(days=days)
        names = {row[1]: row[0] for row in cursor.execute("SELECT corpus_id, name FROM corpora").fetchall()}
        for corpus, document_id in remove:
            key = (names.get(corpus, ""), document_id)
            member = held.pop(key, None)
            if member is None or not principal.may_see(member["tenant"]):
                raise InputError(f"{document_id!r} of {corpus!r} is not quarantined", where="remove")
            told = (member["alert_id"], release_reason, note, until)
            changes[key] = Change(key, member["tenant"], "removed", "release", who, *told)
        for alert in add:
            row = alert_row(cursor, alert, principal)
            key = (row["corpus_id"], row["document_id"])
            if key not in held:
                held[key] = quarantine_store.member_of(row, expires_at)
                changes[key] = Change(key, row["tenant"], "added", "quarantine", who, alert, "", note)
        if set(held) == before:
            raise RefusedError(Refusal.NOTHING_TO_DO, "the proposal changes nothing", do="add or remove a document")
        ordered = [changes[key] for key in sorted(changes) if key in set(held) ^ before]
        return quarantine_store.store(cursor, held, ordered, parent=parent, restores=None, author=who, note=note)

    return get_version(wh, wh.run_transaction(work, urgent=True), principal=principal)


def publish_version(wh: Warehouse, quarantine_id: str, *, principal: Principal, note: str = "") -> QuarantineVersion:
    """Put a proposed version in force, at once and for other processes too; its alerts change with it.

    Raises
    ------
    RefusedError
        ``same_person``: who proposed any of its changes may not approve (single-user mode excepted); ``not_proposed``;
        ``parent_changed``: another version came into force since, whose changes this one would undo.
    """
    principal.require_person("approver", "publish a quarantine version")
    single = principal.mode == SINGLE

    def work(acting: Acting) -> None:
        row = require_proposed(acting.cursor, quarantine_id)
        proposers = {row["author"], *(c.proposer for c in quarantine_store.changes_of(acting.cursor, quarantine_id))}
        if principal.identity in proposers and not single:
            raise RefusedError(
                Refusal.SAME_PERSON,
                f"{principal.identity} proposed this version",
                where=quarantine_id,
                expected="another approver",
            )
        standing = quarantine_store.current(acting.cursor)
        if row["parent_id"] != standing:
            raise RefusedError(
                Refusal.PARENT_CHANGED,
                "another version came into force after this one was proposed",
                where=quarantine_id,
                expected=f"{row['parent_id'] or 'none'} in force, found {standing}",
                do="propose it again",
            )
        require_all_tenants(acting.cursor, quarantine_id, principal)
        acting.put_in_force(row, SINGLE if single else principal.identity, note)

    act(wh, principal, work, cause="quarantine_published", where=quarantine_id)
    return get_version(wh, quarantine_id, principal=principal)


def reject_version(wh: Warehouse, quarantine_id: str, *, principal: Principal, note: str = "") -> QuarantineVersion:
    """Turn a proposed version down; its author may withdraw it so, too."""
    principal.require_person("reviewer", "reject a quarantine version")

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        row = require_proposed(cursor, quarantine_id)
        if row["author"] != principal.identity:
            principal.require("approver", "reject another person's proposal")
        quarantine_store.event(cursor, quarantine_id, principal.identity, "rejected", None, note)
        audit.append(cursor, principal.identity, "quarantine_rejected", quarantine_id, {"author": row["author"]})

    wh.run_transaction(work, urgent=True)
    return get_version(wh, quarantine_id, principal=principal)


def propose_rollback(wh: Warehouse, restores: str, *, principal: Principal, note: str = "") -> QuarantineVersion:
    """Propose a new version with the members of an earlier one; publish it with :func:`publish_version`.

    Alerts of documents that it frees are open again once it is in force.

    Raises
    ------
    RefusedError
        ``nothing_to_do``: those members are in force now.
    """
    principal.require_person("reviewer", "propose a roll-back")

    def work(cursor: duckdb.DuckDBPyConnection) -> str:
        version_row(cursor, restores)
        parent = quarantine_store.current(cursor)
        held, now = quarantine_store.members(cursor, restores), utc_now()
        # What ran out since then does not come back for a moment only to leave again.
        held = {key: row for key, row in held.items() if row["expires_at"] is None or row["expires_at"] > now}
        return _replace(cursor, held, parent, restores, principal, note)

    return get_version(wh, wh.run_transaction(work, urgent=True), principal=principal)


def _replace(
    cursor: duckdb.DuckDBPyConnection,
    held: dict[Key, dict[str, Any]],
    parent: str | None,
    restores: str,
    principal: Principal,
    note: str,
) -> str:
    standing = quarantine_store.members(cursor, parent)
    if set(held) == set(standing):
        raise RefusedError(Refusal.NOTHING_TO_DO, "these members are in force already", where=restores)
    changes = []
    for key in sorted(held.keys() ^ standing.keys()):
        row = held.get(key) or standing[key]
        change: Any = "added" if key in held else "removed"
        changes.append(Change(key, row["tenant"], change, "rollback", principal.identity, row["alert_id"], "", note))
    return quarantine_store.store(
        cursor, held, changes, parent=parent, restores=restores, author=principal.identity, note=note
    )


def expire_members(wh: Warehouse, *, principal: Principal) -> int:
    """Put a version without the members whose time is over in force; returns how many left.

    The end was part of what was approved, so that no second person is needed again. Run by the owner now and then.
    """
    with wh.reading() as cursor:
        due = _due(quarantine_store.members(cursor, quarantine_store.current(cursor)))
    if not due:
        return 0

    def work(acting: Acting) -> int:
        parent = quarantine_store.current(acting.cursor)
        held = quarantine_store.members(acting.cursor, parent)
        over, who = _due(held), principal.identity
        if not over:
            return 0
        changes = [Change(k, held[k]["tenant"], "removed", "expiry", who, held[k]["alert_id"]) for k in over]
        for key in over:
            del held[key]
        name = quarantine_store.store(
            acting.cursor, held, changes, parent=parent, restores=None, author=who, note="time over"
        )
        acting.put_in_force(version_row(acting.cursor, name), "schedule", "")
        return len(over)

    return act(wh, principal, work, cause="quarantine_expired")[0]


def _due(held: dict[Key, dict[str, Any]]) -> list[Key]:
    now = utc_now()
    return sorted(key for key, row in held.items() if row["expires_at"] is not None and row["expires_at"] <= now)
