"""The state of alerts: a history that is only appended, and its current value, kept in the same transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from ragsieve_core.review.undo import Step
from ragsieve_core.review.workflow import State
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.ids import canonical_json


@dataclass(frozen=True, slots=True)
class NewStep:
    """A step to append: what it is called, the whole state after it, who made it, and what it replaced."""

    alert_id: str
    kind: str
    state: State
    actor: str
    payload: Mapping[str, object]


def refresh_alerts(cursor: duckdb.DuckDBPyConnection, after: int) -> None:
    """Fold the history of every alert with a row from number ``after`` on into alert_current, in its transaction."""
    sql.run(cursor, "alert_touched", after=after).complete()
    sql.run(cursor, "alert_fold").complete()
    sql.run(cursor, "alert_refresh").complete()
    sql.run(cursor, "alert_begin").complete()


def state_of(row: Mapping[str, Any]) -> State:
    """State of a row of alert_current; the note stands in the history alone."""
    return State(row["status"], row["holder"], row["expires_at"], row["verdict"], row["reason"], row.get("note"))


def before_of(row: Mapping[str, Any]) -> dict[str, object]:
    """What a step replaces, as JSON values for its payload."""
    found: dict[str, object] = {name: row[name] for name in ("status", "verdict", "reason", "holder", "version")}
    if row["expires_at"] is not None:
        found["expires_at"] = row["expires_at"].isoformat()
    return found


def set_states(wh: Warehouse, cursor: duckdb.DuckDBPyConnection, steps: Sequence[NewStep], now: datetime) -> None:
    """Append steps, at most one per alert, and set the current states, within the caller's write transaction.

    The caller has checked the versions. Only the columns of the state change, so that this is no fold of the history
    and takes milliseconds.
    """
    if not steps:
        return
    first = wh.history_numbers()
    columns: dict[str, Any] = {
        "seq": [first + place for place in range(len(steps))],
        "alert_id": [step.alert_id for step in steps],
        "acted_at": [now] * len(steps),
        "actor": [step.actor for step in steps],
        "kind": [step.kind for step in steps],
    }
    for name in ("status", "holder", "expires_at", "verdict", "reason", "note"):
        columns[name] = [getattr(step.state, name) for step in steps]
    columns["payload"] = [canonical_json(dict(step.payload)) for step in steps]
    cursor.register("steps", pa.table({name: pa.array(columns[name], kind) for name, kind in _STEPS}))
    try:
        sql.run(cursor, "alert_step").complete()
        sql.run(cursor, "alert_set_state").complete()
    finally:
        cursor.unregister("steps")


_STEPS = (
    ("seq", pa.int64()),
    ("alert_id", pa.string()),
    ("acted_at", pa.timestamp("us")),
    ("actor", pa.string()),
    ("kind", pa.string()),
    ("status", pa.string()),
    ("holder", pa.string()),
    ("expires_at", pa.timestamp("us")),
    ("verdict", pa.string()),
    ("reason", pa.string()),
    ("note", pa.string()),
    ("payload", pa.string()),
)


def histories(cursor: duckdb.DuckDBPyConnection, alerts: Sequence[str]) -> dict[str, list[Step]]:
    """Steps that set the state of some alerts, oldest first."""
    found: dict[str, list[Step]] = {alert: [] for alert in alerts}
    for row in sql.rows(cursor, "alert_steps", alert_ids=list(alerts) or [""]):
        state = State(row["status"], row["holder"], row["expires_at"], row["verdict"], row["reason"], row["note"])
        found[row["alert_id"]].append(Step(int(row["seq"]), row["kind"], row["actor"], state))
    return found
