"""The limits of the review desk: appended; loosening one needs a second person (:mod:`warehouse.roles`)."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import duckdb

from ragsieve_core.review.approval import ReviewPolicy
from warehouse import audit, sql
from warehouse.database import Warehouse
from warehouse.ids import canonical_json, utc_now
from warehouse.principal import Principal


def policy_of(cursor: duckdb.DuckDBPyConnection) -> ReviewPolicy:
    """The policy in force, the defaults before the first one."""
    found = sql.first(cursor, "SELECT policy FROM review_policy_current")
    return ReviewPolicy(**json.loads(found[0])) if found else ReviewPolicy()


def review_policy(wh: Warehouse, *, principal: Principal) -> ReviewPolicy:
    """The policy in force; every role may read it."""
    principal.require("viewer", "read the review policy")
    with wh.reading() as cursor:
        return policy_of(cursor)


def policy_history(wh: Warehouse, *, principal: Principal) -> list[dict[str, Any]]:
    """Every policy that came into force, latest first; ``policy`` is a JSON object in text."""
    principal.require("viewer", "read the review policy")
    with wh.reading() as cursor:
        return sql.rows(cursor, "review_policies")


def append_policy(
    cursor: duckdb.DuckDBPyConnection, policy: ReviewPolicy, *, proposer: str, approved_by: str, note: str
) -> None:
    """Put a policy in force within the caller's transaction, which has checked who may."""
    before = policy_of(cursor)
    cursor.execute(
        "INSERT INTO review_policies SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?, ? FROM review_policies",
        [canonical_json(asdict(policy)), policy.key, approved_by, note, utc_now(), proposer],
    ).complete()
    changed = {
        name: [getattr(before, name), value] for name, value in asdict(policy).items() if getattr(before, name) != value
    }
    audit.append(cursor, proposer, "review_policy_set", policy.key, {"changed": changed, "approved_by": approved_by})
