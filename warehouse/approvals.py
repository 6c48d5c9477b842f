"""The second person: approving, or turning down, quarantines that wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragsieve_core.errors import InputError
from ragsieve_core.review import undo, workflow
from warehouse.acting import SINGLE, Acting, act
from warehouse.alert_rows import rows_of
from warehouse.alert_state import histories, state_of
from warehouse.alerts import alert_row
from warehouse.database import Warehouse
from warehouse.decisions import check_note
from warehouse.errors import RefusedError
from warehouse.principal import Principal
from warehouse.quarantine_versions import QuarantineVersion, get_version
from warehouse.refusals import Refusal


def approve(wh: Warehouse, alerts: Sequence[str], *, principal: Principal, note: str = "") -> QuarantineVersion | None:
    """Put the quarantines of some alerts in force together, as one version; all of them or none.

    Parameters
    ----------
    alerts : ids of alerts that wait, or whose verdict quarantine needs no second person and is not in force yet.

    Returns
    -------
    The version that is in force now; None where every document was quarantined before.

    Raises
    ------
    RefusedError
        ``same_person``: the caller gave one of these verdicts, first or again (single-user mode excepted);
        ``not_waiting``: somebody else was first.
    InputError
        no alert, or an unknown one.
    """
    principal.require_person("approver", "approve a quarantine")
    check_note(note)
    if not alerts:
        raise InputError("no alert to approve", where="alerts", expected="at least one id")

    def work(acting: Acting) -> None:
        rows = {row["alert_id"]: row for row in rows_of(acting.cursor, alerts, principal)}
        known = histories(acting.cursor, list(rows))
        for alert in alerts:
            row = rows.get(alert) or alert_row(acting.cursor, alert, principal)
            history = known[alert]
            proposers = undo.proposers(history)
            if not (row["status"] == "decided" and row["verdict"] == "quarantine"):
                workflow.approve(state_of(row))
            _require_other(proposers, alert, principal)
            state = workflow.put_in_force(history[-1].state)
            acting.step(row, "approved", state, proposers=sorted(proposers), note_by_approver=bool(note))
            acting.enter(row, proposer=history_first(history), note=history[-1].state.note or "")

    approved_by = SINGLE if principal.mode == SINGLE else principal.identity
    _, acting = act(wh, principal, work, cause="quarantine_published", approved_by=approved_by, note=note)
    return get_version(wh, acting.quarantine_id, principal=principal) if acting.quarantine_id else None


def turn_down(wh: Warehouse, alert: str, *, principal: Principal, note: str = "") -> None:
    """Refuse a waiting quarantine: the alert is open again.

    Raises
    ------
    RefusedError
        ``not_waiting``.
    """
    principal.require_person("approver", "turn a quarantine down")
    check_note(note)

    def work(acting: Acting) -> None:
        row = alert_row(acting.cursor, alert, principal)
        state = replace(workflow.turn_down(state_of(row)), note=note or None)
        acting.step(
            row, "turned_down", state, proposers=sorted(undo.proposers(histories(acting.cursor, [alert])[alert]))
        )

    act(wh, principal, work, cause="turned_down", where=alert)


def proposers_of(wh: Warehouse, alert: str, *, principal: Principal) -> frozenset[str]:
    """Everyone who may not approve the standing quarantine verdict of an alert, because they gave it."""
    with wh.reading() as cursor:
        alert_row(cursor, alert, principal)
        return undo.proposers(histories(cursor, [alert])[alert])


def history_first(history: Sequence[undo.Step]) -> str:
    """Who first gave the standing quarantine verdict."""
    among = undo.proposers(history)
    return next(step.actor for step in history if step.actor in among and step.state.verdict == "quarantine")


def _require_other(proposers: frozenset[str], alert: str, principal: Principal) -> None:
    if principal.identity in proposers and principal.mode != SINGLE:
        raise RefusedError(
            Refusal.SAME_PERSON,
            f"{principal.identity} proposed this quarantine",
            where=alert,
            expected="another approver",
        )
