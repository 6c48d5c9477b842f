"""The state of alerts: a history that is only appended, and its current value, kept in the same transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from warehouse import sql
from warehouse.database import Warehouse
from warehouse.ids import canonical_json, utc_now
from warehouse.principal import Principal


@dataclass(frozen=True, slots=True)
class AlertState:
    """A whole state and the step (``kind``) that leads to it; what is None is unset by the step."""

    kind: str
    status: str
    holder: str | None = None
    expires_at: datetime | None = None
    verdict: str | None = None
    reason: str | None = None
    note: str | None = None


def refresh_alerts(cursor: duckdb.DuckDBPyConnection, after: int) -> None:
    """Fold the history of every alert with a row from number ``after`` on into alert_current, in its transaction."""
    sql.run(cursor, "alert_touched", after=after).complete()
    sql.run(cursor, "alert_fold").complete()
    sql.run(cursor, "alert_refresh").complete()
    sql.run(cursor, "alert_begin").complete()


def set_state(
    wh: Warehouse,
    cursor: duckdb.DuckDBPyConnection,
    alert: str,
    principal: Principal,
    state: AlertState,
    payload: Mapping[str, object],
) -> None:
    """Append a step and set the current state, within the caller's write transaction, which has checked the version.

    Only the columns of the state change, so that this is no fold of the history and takes milliseconds.
    """
    parameters: dict[str, Any] = {
        "alert_id": alert,
        "now": utc_now(),
        "actor": principal.identity,
        "kind": state.kind,
        "status": state.status,
        "holder": state.holder,
        "expires_at": state.expires_at,
        "verdict": state.verdict,
        "reason": state.reason,
        "note": state.note,
        "payload": canonical_json(dict(payload)),
        "seq": wh.history_numbers(),
    }
    sql.run(cursor, "alert_step", **parameters).complete()
    sql.run(cursor, "alert_set_state", **parameters).complete()
