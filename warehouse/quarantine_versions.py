"""Reading quarantine versions: the timeline, members, what changed and who proposed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragsieve_core.errors import InputError
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.principal import Principal
from warehouse.quarantine_store import Key


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
    return [QuarantineVersion(**{name: row[name] for name in names}) for row in timeline(wh, principal=principal)]


def timeline(wh: Warehouse, *, principal: Principal) -> list[dict[str, Any]]:
    """Versions with everything known of them, latest first; ``members`` counts what the caller may see.

    Beside the fields of :class:`QuarantineVersion`: members_hash, created_at, published_at.
    """
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
    return rows


def version_members(wh: Warehouse, quarantine_id: str, *, principal: Principal) -> list[dict[str, Any]]:
    """Members of a version that the caller may see, by corpus and document."""
    with wh.reading() as cursor:
        return sql.rows(cursor, "quarantine_members", quarantine_id=quarantine_id, **principal.scope())


def version_changes(wh: Warehouse, quarantine_id: str, *, principal: Principal) -> list[dict[str, Any]]:
    """What a version changes of its parent and who proposed each change, as far as the caller may see it.

    Columns: corpus, document_id, tenant, alert_id, change, cause, proposer, reason, note, release_until.
    """
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "quarantine_changes", quarantine_id=quarantine_id)
    return [row for row in rows if principal.may_see(row["tenant"])]


def proposal_exposure(wh: Warehouse, quarantine_id: str, *, principal: Principal) -> list[dict[str, Any]]:
    """Whom a version leaves exposed until somebody approves it: one row per document that it adds, as far as seen.

    Columns: corpus, document_id, answers (given since the proposal with the document in their context), queries
    (distinct questions among them), tenants (whose questions), last_at (UTC, None without any).
    """
    with wh.reading() as cursor:
        return sql.rows(cursor, "proposal_exposure", quarantine_id=quarantine_id, **principal.scope())


def diff_versions(wh: Warehouse, first: str | None, second: str, *, principal: Principal) -> QuarantineDiff:
    """What changes from one version to another; ``first`` None stands for the empty set."""

    def keys(name: str | None) -> set[Key]:
        rows = version_members(wh, name, principal=principal) if name else []
        return {(row["corpus"], row["document_id"]) for row in rows}

    before, after = keys(first), keys(second)
    return QuarantineDiff(tuple(sorted(after - before)), tuple(sorted(before - after)))
