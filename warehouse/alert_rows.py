"""Rows of alerts as acts take them, and the refusals that every act can meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from ragsieve_core.review.not_allowed import NotAllowedError
from warehouse import sql
from warehouse.errors import RefusedError
from warehouse.principal import Principal
from warehouse.refusals import Refusal

Row = Mapping[str, Any]
"""A row of the query alert or alert_rows."""


def rows_of(
    cursor: duckdb.DuckDBPyConnection, alerts: Sequence[str], principal: Principal | None = None
) -> list[dict[str, Any]]:
    """Rows of some alerts; those of other tenants are not there for a principal that is named."""
    if not alerts:
        return []
    scope = principal.scope() if principal else {"all_tenants": True, "tenants": [""]}
    return sql.rows(cursor, "alert_rows", alert_ids=list(alerts), **scope)


def require_version(row: Row, expected: int) -> None:
    """Raise ``stale_version``, naming who changed the alert, unless it is as the caller saw it."""
    if int(row["version"]) != expected:
        raise RefusedError(
            Refusal.STALE_VERSION,
            f"{row['state_actor']} set this alert to {row['verdict'] or row['status']} "
            f"at {row['state_at']:%Y-%m-%d %H:%M:%S} UTC",
            where=str(row["alert_id"]),
            expected=f"version {expected}, found {row['version']}",
            do="look at it again and decide on what it is now",
        )


def named(error: NotAllowedError, where: str) -> RefusedError:
    """The warehouse's refusal of a step that the rules do not allow."""
    return RefusedError(Refusal(error.reason), error.what, where=where, expected=error.expected, do=error.do)
