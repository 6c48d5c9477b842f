"""Verdicts on alerts: appended, compare-and-set, by people only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.review.workflow import REASONS, VERDICTS, Reason, Verdict
from warehouse.acting import Acting, act
from warehouse.alert_rows import require_version
from warehouse.alert_state import before_of
from warehouse.alerts import alert_row
from warehouse.database import Warehouse
from warehouse.principal import Principal

__all__ = ["REASONS", "VERDICTS", "Decision", "Reason", "Verdict", "check_verdict", "decide"]
_LONGEST_NOTE = 10_000


@dataclass(frozen=True, slots=True)
class Decision:
    """A stored verdict.

    Attributes
    ----------
    version : the alert's version after it.
    status : decided; waiting, for a second person; or in_force.
    before : what it replaced.
    quarantine_id : version that came into force with it, else None.
    """

    alert_id: str
    version: int
    status: str
    verdict: Verdict
    reason: Reason
    before: Mapping[str, object]
    quarantine_id: str | None = None


def check_verdict(verdict: str, reason: str, note: str) -> None:
    """Raise :class:`InputError` for an unknown verdict or reason code, or a note over 10,000 characters."""
    if verdict not in VERDICTS:
        raise InputError(f"unknown verdict {verdict!r}", where="verdict", expected=nearest(verdict, VERDICTS))
    if reason not in REASONS:
        raise InputError(f"unknown reason {reason!r}", where="reason", expected=nearest(reason, REASONS))
    check_note(note)


def check_note(note: str) -> None:
    """Raise :class:`InputError` for a note over 10,000 characters."""
    if len(note) > _LONGEST_NOTE:
        raise InputError(f"a note of {len(note):,} characters", where="note", expected=f"at most {_LONGEST_NOTE:,}")


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
    at_once: bool = False,
) -> Decision:
    """Give an alert a verdict if it is still as the caller saw it. Ends the holds that were set for this alert.

    A quarantine that needs a second person waits for one (:func:`warehouse.approvals.approve`). One that does not
    changes no retrieval by itself either, unless ``at_once`` puts it in force in the same transaction.

    Parameters
    ----------
    expected_version : ``version`` of the row the caller looked at.
    seen : what was on the screen (scores, threshold, scan or event ids), JSON values, stored with the decision.
    at_once : put a quarantine that needs no second person in force.

    Raises
    ------
    RefusedError
        ``held_by_other``, ``claim_expired``, ``waiting_for_approval``, ``in_force``, ``released``; ``stale_version``:
        somebody else changed it, named with what they did; ``not_a_person``.
    InputError
        unknown alert, verdict or reason, or a note that is too long.
    """
    principal.require_person("reviewer", "decide on an alert")
    check_verdict(verdict, reason, note)

    def work(acting: Acting) -> tuple[str, Mapping[str, object]]:
        row = alert_row(acting.cursor, alert, principal)
        if not (row["status"] == "claimed" and row["holder"] != principal.identity):
            require_version(row, expected_version)
        state = acting.decide(row, verdict=verdict, reason=reason, note=note, at_once=at_once, seen=dict(seen or {}))
        require_version(row, expected_version)
        return state.status, before_of(row)

    (status, before), acting = act(wh, principal, work, cause="decided", where=alert)
    return Decision(alert, expected_version + 1, status, verdict, reason, before, acting.quarantine_id)
