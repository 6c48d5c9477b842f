"""One act of a person on one or many alerts: every step, hold, release and quarantine change in one transaction.

Steps are collected and written together, so that an act on a thousand alerts costs little more than one on a single
alert; whatever follows from them (holds that end, other alerts of the same document, a new quarantine version) is
worked out once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

import duckdb

from ragsieve_core.review import undo, workflow
from ragsieve_core.review.approval import second_person_for
from ragsieve_core.review.not_allowed import NotAllowedError
from ragsieve_core.review.workflow import State
from warehouse import audit, publish, quarantine_store, sql
from warehouse.alert_rows import Row, named, rows_of
from warehouse.alert_state import NewStep, before_of, histories, set_states, state_of
from warehouse.allowing import Kept, allow
from warehouse.database import Warehouse
from warehouse.desk_policy import policy_of
from warehouse.holds import end_holds, renew_holds
from warehouse.ids import utc_now
from warehouse.member_changes import MemberChanges, alerts_of
from warehouse.principal import Principal
from warehouse.quarantine_store import Change

T = TypeVar("T")
SINGLE = "single_user_mode"
ALONE = "policy"
"""What stands as the approver of a quarantine that needed no second person."""


class Acting:
    """Collects what one act changes; :meth:`finish` writes it. Rows come from the query alert or alert_rows.

    Parameters
    ----------
    proposer : who is recorded with the steps; the caller unless they run somebody else's bulk job.
    """

    def __init__(
        self, wh: Warehouse, cursor: duckdb.DuckDBPyConnection, principal: Principal, *, proposer: str = ""
    ) -> None:
        self.wh, self.cursor, self.principal = wh, cursor, principal
        self.actor = proposer or principal.identity
        self.now = utc_now()
        self.policy = policy_of(cursor)
        self.single = principal.mode == SINGLE
        self.quarantine_id: str | None = None
        self._steps: dict[str, NewStep] = {}
        self._ending: list[str] = []
        self._renewing: list[str] = []
        self._kept: dict[str, Kept] = {}
        self._members = MemberChanges()
        self._alone: int | None = None
        self._guarded = False
        self._histories: dict[str, list[undo.Step]] = {}

    def preload(self, alerts: Sequence[str]) -> None:
        """Read the histories of many alerts at once."""
        self._histories |= histories(self.cursor, alerts)

    def history(self, alert: str) -> list[undo.Step]:
        """Steps that set the state of an alert before this act, oldest first."""
        if alert not in self._histories:
            self.preload([alert])
        return self._histories[alert]

    def step(self, row: Row, kind: str, state: State, **payload: object) -> None:
        """Append one step to an alert."""
        body = {"before": before_of(row), "mode": self.principal.mode, **payload}
        if self.actor != self.principal.identity:
            body["run_by"] = self.principal.identity
        self._steps[row["alert_id"]] = NewStep(row["alert_id"], kind, state, self.actor, body)
        self._guarded = self._guarded or row["admission"] != "at_once"

    def decide(
        self,
        row: Row,
        *,
        verdict: str,
        reason: str,
        note: str,
        at_once: bool,
        kind: str = "decided",
        **payload: object,
    ) -> State:
        """Give a verdict; with ``at_once`` a quarantine that needs no second person comes into force with it."""
        causes: tuple[str, ...] = ()
        if verdict == "quarantine" and not self.single:
            causes = second_person_for(
                self.policy,
                contexts=int(row["in_context"]),
                campaign_size=int(row["campaign_size"]),
                tier=int(row["tier"]),
                alone_today=self._alone_today() if at_once else 0,
            )
        state = workflow.decide(
            state_of(row),
            self.actor,
            self.now,
            verdict=verdict,
            reason=reason,
            note=note,
            second_person=bool(causes),
            at_once=at_once,
        )
        ended = list(row["holds"])
        self._ending += ended
        self.step(row, kind, state, holds_ended=ended, second_person=list(causes), **payload)
        if state.status == "in_force":
            self._alone = self._alone_today() + 1
            self.enter(row, proposer=self.actor, note=note)
        elif verdict == "keep":
            until = self.now + timedelta(days=self.policy.release_days)
            self._kept[row["alert_id"]] = Kept("kept", reason, note, until)
        return state

    def undo(self, row: Row, *, remaining: Iterable[str] = (), **payload: object) -> State:
        """Restore the state before the last verdict or reopening of this alert, and the holds that it ended.

        Parameters
        ----------
        remaining : other alerts whose quarantine of the same document is in force: it stays then.
        """
        history = self.history(row["alert_id"])
        change = undo.to_undo(undo.chain(history), self.actor, any_author=self.principal.at_least("approver"))
        self.step(row, "undone", change.before, undoes=change.step.seq, **payload)
        if change.before.status in workflow.UNDECIDED:
            self._renewing.append(row["alert_id"])
        if row["status"] == "in_force" and not set(remaining) - self._steps.keys():
            self.leave(row, cause="undo", proposer=self.actor, note="")
        return change.before

    def redo(self, row: Row, **payload: object) -> State:
        """Do again what was undone last; a quarantine waits again where the two-person rule applies."""
        history = self.history(row["alert_id"])
        change = undo.to_redo(undo.chain(history), self.actor, any_author=self.principal.at_least("approver"))
        done = change.step.state
        if change.step.kind == "reopened":
            state = workflow.reopen(state_of(row))
            self.step(row, "redone", state, redoes=change.step.seq, **payload)
            return state
        return self.decide(
            row,
            verdict=str(done.verdict),
            reason=str(done.reason),
            note=done.note or "",
            at_once=done.status == "in_force",
            kind="redone",
            redoes=change.step.seq,
            **payload,
        )

    def enter(self, row: Row, *, proposer: str, note: str) -> None:
        """Let an alert's document into the quarantine with this act."""
        self._members.enter(row, proposer, note)

    def leave(self, row: Row, *, cause: quarantine_store.Cause, proposer: str, note: str) -> None:
        """Let an alert's document out of the quarantine with this act."""
        self._members.leave(row, cause, proposer, note)

    def put_in_force(self, version: Row, approved_by: str, note: str) -> None:
        """Put a proposed version in force with this act and carry its alerts along."""
        name = str(version["quarantine_id"])
        quarantine_store.event(self.cursor, name, self.principal.identity, "published", approved_by, note)
        audit.append(
            self.cursor,
            self.principal.identity,
            "quarantine_published",
            name,
            {
                "members": version["members"],
                "parent": version["parent_id"],
                "author": version["author"],
                "approved_by": approved_by,
            },
            {"note": note} if note else None,
        )
        self.quarantine_id = name
        self._carry(quarantine_store.changes_of(self.cursor, name))

    def finish(self, cause: str, *, approved_by: str = "", note: str = "") -> tuple[dict[str, Any], bytes] | None:
        """Write it all; returns what :func:`warehouse.publish.release` is to be given after the commit, if anything."""
        if self._members.changes:
            name = self._members.store(self.cursor, note)
            if name is None:
                # Another alert of each document is in force already.
                self._carry(list(self._members.changes.values()))
            else:
                version = quarantine_store.version_row(self.cursor, name)
                self.put_in_force(version, approved_by or (SINGLE if self.single else ALONE), note)
        set_states(self.wh, self.cursor, list(self._steps.values()), self.now)
        for step in self._steps.values():
            commitments = {"note": step.state.note} if step.state.note else None
            body = {"status": step.state.status, "verdict": step.state.verdict, "reason": step.state.reason}
            audit.append(self.cursor, step.actor, step.kind, step.alert_id, body | dict(step.payload), commitments)
        end_holds(self.cursor, self._ending, self.principal)
        renewed = renew_holds(self.cursor, self._renewing, self.principal, self.now)
        allow(self.cursor, self._kept, self.quarantine_id, self.principal, self.now)
        if self.quarantine_id is not None or self._ending or renewed or (self._guarded and self._steps):
            return publish.prepare(self.cursor, self.principal, cause)
        return None

    def _carry(self, changes: Sequence[Change]) -> None:
        """Steps of alerts whose documents entered or left the quarantine and that have none in this act yet."""
        by_key = {change.key: change for change in changes}
        names = [name for name in alerts_of(self.cursor, list(by_key.values())) if name not in self._steps]
        self.preload(names)
        for row in rows_of(self.cursor, names):
            change = by_key[(row["corpus_id"], row["document_id"])]
            if change.change == "added" and row["status"] != "in_force":
                kind = "approved" if row["status"] == "waiting" else "in_force"
                self._ending += row["holds"]
                self.step(row, kind, workflow.put_in_force(self._whole(row)), quarantine=self.quarantine_id)
            elif change.change == "removed" and row["status"] == "in_force":
                self._left(row, change)

    def _left(self, row: Row, change: Change) -> None:
        told = {"quarantine": self.quarantine_id, "proposed_by": change.proposer}
        if change.cause == "release":
            state = workflow.release(state_of(row), reason=change.reason or "other", note=change.note)
            self.step(row, "released", state, **told)
            until = change.release_until or self.now + timedelta(days=self.policy.release_days)
            self._kept[row["alert_id"]] = Kept("released", change.reason or "other", change.note, until)
            return
        if change.cause == "undo" and row["alert_id"] == change.alert_id:
            history = self.history(row["alert_id"])
            found = undo.to_undo(undo.chain(history), change.proposer, any_author=True)
            self.step(row, "undone", found.before, undoes=found.step.seq, **told)
            return
        self.step(row, "expired" if change.cause == "expiry" else "rolled_back", State(), **told)

    def _whole(self, row: Row) -> State:
        """The state with its note, which only the history holds."""
        history = self.history(row["alert_id"])
        return replace(state_of(row), note=history[-1].state.note if history else None)

    def _alone_today(self) -> int:
        if self._alone is None:
            found = sql.row(self.cursor, "alone_today", actor=self.actor, after=self.now - timedelta(hours=24))
            self._alone = int(found["documents"]) if found else 0
        return self._alone


def act(
    wh: Warehouse,
    principal: Principal,
    work: Callable[[Acting], T],
    *,
    cause: str,
    where: str = "",
    approved_by: str = "",
    note: str = "",
) -> tuple[T, Acting]:
    """Run ``work(acting)`` and write what it collected in one urgent transaction, then tell other processes.

    Raises
    ------
    RefusedError
        a step that the state does not allow, by its name.
    """

    def whole(cursor: duckdb.DuckDBPyConnection) -> tuple[T, Acting, tuple[dict[str, Any], bytes] | None]:
        acting = Acting(wh, cursor, principal)
        try:
            found = work(acting)
        except NotAllowedError as error:
            raise named(error, where) from error
        return found, acting, acting.finish(cause, approved_by=approved_by, note=note)

    with wh.publishing:
        found, acting, told = wh.run_transaction(whole, urgent=True)
        if told is not None:
            publish.release(wh, *told)
    return found, acting
