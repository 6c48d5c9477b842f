"""Holds: reversible isolations that end by themselves, by hand, or by any decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import duckdb

from ragsieve_core.errors import InputError
from warehouse import audit, publish, sql
from warehouse.alerts import alert_row
from warehouse.database import Warehouse
from warehouse.desk_policy import policy_of
from warehouse.errors import RefusedError
from warehouse.ids import new_id, utc_now
from warehouse.principal import Principal
from warehouse.refusals import Refusal

LONGEST_HOURS = 24.0 * 30


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold that was set; ``expires_at`` is naive UTC."""

    hold_id: str
    corpus_id: str
    document_id: str
    expires_at: datetime


def hold(wh: Warehouse, alert: str, *, principal: Principal, hours: float, reason: str) -> Hold:
    """Keep an alert's document out of retrieval until it is decided or ``hours`` are over.

    Raises
    ------
    InputError
        unknown alert, no reason, or not within (0, 720] hours.
    """
    principal.require_person("reviewer", "hold a document")
    if not 0 < hours <= LONGEST_HOURS:
        raise InputError(f"a hold of {hours} hours", where="hours", expected=f"above 0, at most {LONGEST_HOURS:.0f}")
    if not reason.strip():
        raise InputError("a hold without a reason", where="reason", expected="a few words")

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[Hold, tuple[dict[str, Any], bytes]]:
        row = alert_row(cursor, alert, principal)
        now = utc_now()
        made = Hold(new_id("hold"), row["corpus_id"], row["document_id"], now + timedelta(hours=hours))
        cursor.execute(
            "INSERT INTO holds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                made.hold_id,
                made.corpus_id,
                made.document_id,
                row["tenant"],
                alert,
                reason,
                now,
                made.expires_at,
                principal.identity,
            ],
        ).complete()
        audit.append(
            cursor,
            principal.identity,
            "held",
            made.hold_id,
            {"alert": alert, "expires_at": made.expires_at.isoformat(), "hours": hours},
            {"reason": reason},
        )
        return made, publish.prepare(cursor, principal, "held")

    with wh.publishing:
        made, told = wh.run_transaction(work, urgent=True)
        publish.release(wh, *told)
    return made


def end_hold(wh: Warehouse, hold_id: str, *, principal: Principal) -> None:
    """End a hold before its time.

    Raises
    ------
    RefusedError
        it ended already (``nothing_to_do``).
    InputError
        unknown.
    """
    principal.require_person("reviewer", "end a hold")

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[dict[str, Any], bytes]:
        found = next((row for row in _all(cursor, principal) if row["hold_id"] == hold_id), None)
        if found is None:
            raise InputError(f"no hold {hold_id!r}", where="hold")
        if not found["active"]:
            raise RefusedError(Refusal.NOTHING_TO_DO, "the hold ended already", where=hold_id)
        _end(cursor, hold_id, principal, "ended")
        audit.append(cursor, principal.identity, "hold_ended", hold_id, {"cause": "ended"})
        return publish.prepare(cursor, principal, "hold_ended")

    with wh.publishing:
        publish.release(wh, *wh.run_transaction(work, urgent=True))


def end_holds(cursor: duckdb.DuckDBPyConnection, hold_ids: Sequence[str], principal: Principal) -> list[str]:
    """End holds because their alert was decided, within the caller's write transaction; returns their ids."""
    # One moment for all: an undo finds together what one decision ended.
    now = utc_now()
    for hold_id in hold_ids:
        _end(cursor, hold_id, principal, "decided", now)
    return list(hold_ids)


def renew_holds(
    cursor: duckdb.DuckDBPyConnection, alerts: Sequence[str], principal: Principal, now: datetime
) -> list[str]:
    """Set again, until their old ends, the holds that a decision on these alerts ended and an undo takes back.

    Within the caller's write transaction; returns the new ids.
    """
    if not alerts:
        return []
    made = []
    for row in sql.rows(cursor, "holds_ended", alert_ids=list(alerts), now=now):
        made.append(new_id("hold"))
        cursor.execute(
            "INSERT INTO holds SELECT ?, corpus_id, document_id, tenant, alert_id, reason, ?, expires_at, actor "
            "FROM holds WHERE hold_id = ?",
            [made[-1], now, row["hold_id"]],
        ).complete()
        audit.append(cursor, principal.identity, "held", made[-1], {"alert": row["alert_id"], "renews": row["hold_id"]})
    return made


def hold_by_policy(wh: Warehouse, *, principal: Principal) -> int:
    """Hold the open alerts at or above the policy's severity that nobody ever held; returns how many.

    Run by the owner now and then, so that a promoted text does not stay in answers until somebody looks.
    """

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[int, tuple[dict[str, Any], bytes] | None]:
        policy, now = policy_of(cursor), utc_now()
        if policy.hold_severity > 100:
            return 0, None
        found = sql.rows(cursor, "holds_due", severity=policy.hold_severity)
        for row in found:
            name, until = new_id("hold"), now + timedelta(hours=policy.hold_hours)
            reason = f"policy: severity {row['severity']:.0f}"
            fields = [name, row["corpus_id"], row["document_id"], row["tenant"], row["alert_id"], reason]
            cursor.execute(
                "INSERT INTO holds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [*fields, now, until, principal.identity]
            ).complete()
            body = {"alert": row["alert_id"], "expires_at": until.isoformat(), "policy": policy.key}
            audit.append(cursor, principal.identity, "held", name, body)
        return len(found), publish.prepare(cursor, principal, "held") if found else None

    with wh.publishing:
        count, told = wh.run_transaction(work, urgent=True)
        if told is not None:
            publish.release(wh, *told)
    return count


def _end(
    cursor: duckdb.DuckDBPyConnection, hold_id: str, principal: Principal, cause: str, now: datetime | None = None
) -> None:
    cursor.execute(
        "INSERT INTO hold_ends VALUES (?, ?, ?, ?)", [hold_id, now or utc_now(), principal.identity, cause]
    ).complete()


def _all(cursor: duckdb.DuckDBPyConnection, principal: Principal) -> list[dict[str, Any]]:
    return sql.rows(cursor, "holds", now=utc_now(), **principal.scope())


def list_holds(wh: Warehouse, *, principal: Principal, active_only: bool = True) -> list[dict[str, Any]]:
    """Holds, latest first, with ``active`` and how they ended."""
    with wh.reading() as cursor:
        return [row for row in _all(cursor, principal) if row["active"] or not active_only]
