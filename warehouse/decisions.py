"""Verdicts on alerts: appended, compare-and-set, by people only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import duckdb

from ragsieve_core.errors import InputError, nearest
from warehouse import audit, publish
from warehouse.alert_state import AlertState, set_state
from warehouse.alerts import alert_row
from warehouse.database import Warehouse
from warehouse.errors import RefusedError
from warehouse.holds import end_holds
from warehouse.principal import Principal
from warehouse.refusals import Refusal

Verdict = Literal["quarantine", "keep", "needs_verification", "escalate"]
Reason = Literal["true_positive", "benign", "duplicate", "policy_exception", "other"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
REASONS: tuple[Reason, ...] = get_args(Reason)
_LONGEST_NOTE = 10_000


@dataclass(frozen=True, slots=True)
class Decision:
    """A stored verdict: ``version`` is the alert's version after it, ``before`` what it replaced."""

    alert_id: str
    version: int
    status: str
    verdict: Verdict
    reason: Reason
    before: Mapping[str, object]


def decide(
    wh: Warehouse,
    alert: str,
    expected_version: int,
    *,
    principal: Principal,
    verdict: Verdict,
    reason: Reason,
    note: str = "",
    seen: Mapping[str, object] | None = None,
) -> Decision:
    """Give an alert a verdict if it is still as the caller saw it.

    A verdict changes no retrieval by itself: quarantine needs a published version (:mod:`warehouse.quarantine`). It
    ends the holds that were set for this alert.

    Parameters
    ----------
    expected_version : ``version`` of the row the caller looked at.
    seen : what was on the screen (scores, threshold, scan or event ids), JSON values, stored with the decision.

    Raises
    ------
    RefusedError
        ``stale_version``: somebody else changed it, named with what they did; ``not_a_person``.
    InputError
        unknown alert, verdict or reason, or a note that is too long.
    """
    principal.require_person("reviewer", "decide on an alert")
    if verdict not in VERDICTS:
        raise InputError(f"unknown verdict {verdict!r}", where="verdict", expected=nearest(verdict, VERDICTS))
    if reason not in REASONS:
        raise InputError(f"unknown reason {reason!r}", where="reason", expected=nearest(reason, REASONS))
    if len(note) > _LONGEST_NOTE:
        raise InputError(f"a note of {len(note):,} characters", where="note", expected=f"at most {_LONGEST_NOTE:,}")

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[Decision, tuple[dict[str, object], bytes] | None]:
        row = alert_row(cursor, alert, principal)
        if int(row["version"]) != expected_version:
            raise RefusedError(
                Refusal.STALE_VERSION,
                f"{row['state_actor']} set this alert to {row['verdict'] or row['status']} "
                f"at {row['state_at']:%Y-%m-%d %H:%M:%S} UTC",
                where=alert,
                expected=f"version {expected_version}, found {row['version']}",
                do="look at it again and decide on what it is now",
            )
        before = {name: row[name] for name in ("status", "verdict", "reason", "holder", "version")}
        set_state(
            wh,
            cursor,
            alert,
            principal,
            AlertState(kind="decided", status="decided", verdict=verdict, reason=reason, note=note),
            {"before": before, "seen": dict(seen or {})},
        )
        ended = end_holds(cursor, row["holds"], principal)
        audit.append(
            cursor,
            principal.identity,
            "decided",
            alert,
            {
                "verdict": verdict,
                "reason": reason,
                "version": expected_version + 1,
                "before": before,
                "holds_ended": ended,
                "mode": principal.mode,
            },
            {"note": note} if note else None,
        )
        guarded = row["admission"] != "at_once"
        told = publish.prepare(cursor, principal, "decided") if ended or guarded else None
        return Decision(alert, expected_version + 1, "decided", verdict, reason, before), told

    with wh.publishing:
        decision, told = wh.run_transaction(work, urgent=True)
        if told is not None:
            publish.release(wh, *told)
    return decision
