"""One act of a person on one or many alerts: every step, hold, release and quarantine change in one transaction.

Steps are collected and written together, so that an act on a thousand alerts costs little more than one on a single
alert; whatever follows from them (holds that end, other alerts of the same document, a new quarantine version) is
worked out once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from ragsieve_core.review import undo, workflow
from ragsieve_core.review.approval import second_person_for
from ragsieve_core.review.not_allowed import NotAllowedError
from ragsieve_core.review.workflow import State
from warehouse import audit, publish, quarantine_store, sql
from warehouse.alert_state import NewStep, before_of, histories, set_states, state_of
from warehouse.database import Warehouse
from warehouse.desk_policy import policy_of
from warehouse.errors import RefusedError
from warehouse.holds import end_holds, renew_holds
from warehouse.ids import new_id, utc_now
from warehouse.principal import Principal
from warehouse.quarantine_store import Change, Key
from warehouse.refusals import Refusal

T = TypeVar("T")
Row = Mapping[str, Any]
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
        self._kept: dict[str, tuple[str, str, str, Any]] = {}
        self._changes: dict[Key, Change] = {}
        self._entering: dict[Key, dict[str, Any]] = {}
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
            self._kept[row["alert_id"]] = ("kept", reason, note, self.now + timedelta(days=self.policy.release_days))
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
        key = (row["corpus_id"], row["document_id"])
        if key not in self._changes:
            self._changes[key] = Change(key, row["tenant"], "added", "quarantine", proposer, row["alert_id"], "", note)
            self._entering[key] = quarantine_store.member_of(row)

    def leave(self, row: Row, *, cause: quarantine_store.Cause, proposer: str, note: str) -> None:
        """Let an alert's document out of the quarantine with this act."""
        key = (row["corpus_id"], row["document_id"])
        self._changes[key] = Change(key, row["tenant"], "removed", cause, proposer, row["alert_id"], "", note)

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
        if self._changes:
            self._new_version(approved_by or (SINGLE if self.single else ALONE), note)
        set_states(self.wh, self.cursor, list(self._steps.values()), self.now)
        for step in self._steps.values():
            commitments = {"note": step.state.note} if step.state.note else None
            body = {"status": step.state.status, "verdict": step.state.verdict, "reason": step.state.reason}
            audit.append(self.cursor, step.actor, step.kind, step.alert_id, body | dict(step.payload), commitments)
        end_holds(self.cursor, self._ending, self.principal)
        renewed = renew_holds(self.cursor, self._renewing, self.principal, self.now)
        self._allow()
        if self.quarantine_id is not None or self._ending or renewed or (self._guarded and self._steps):
            return publish.prepare(self.cursor, self.principal, cause)
        return None

    def _new_version(self, approved_by: str, note: str) -> None:
        parent = quarantine_store.current(self.cursor)
        held = quarantine_store.members(self.cursor, parent)
        before = set(held)
        for key, change in self._changes.items():
            if change.change == "added":
                held.setdefault(key, self._entering[key])
            else:
                held.pop(key, None)
        changes = [self._changes[key] for key in sorted(set(held) ^ before)]
        if not changes:
            # Another alert of each document is in force already.
            self._carry(list(self._changes.values()))
            return
        name = quarantine_store.store(
            self.cursor, held, changes, parent=parent, restores=None, author=changes[0].proposer, note=note
        )
        self.put_in_force(quarantine_store.version_row(self.cursor, name), approved_by, note)

    def _carry(self, changes: Sequence[Change]) -> None:
        """Steps of alerts whose documents entered or left the quarantine and that have none in this act yet."""
        by_key = {change.key: change for change in changes}
        self.cursor.register(
            "concerned",
            pa.table(
                {
                    "corpus_id": pa.array([key[0] for key in by_key], pa.string()),
                    "document_id": pa.array([key[1] for key in by_key], pa.string()),
                    "alert_id": pa.array([change.alert_id for change in changes], pa.string()),
                }
            ),
        )
        try:
            names = [row["alert_id"] for row in sql.rows(self.cursor, "document_alerts")]
        finally:
            self.cursor.unregister("concerned")
        names = [name for name in names if name not in self._steps]
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
            self._kept[row["alert_id"]] = ("released", change.reason or "other", change.note, until)
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

    def _allow(self) -> None:
        if not self._kept:
            return
        rows = []
        for found in sql.rows(self.cursor, "alert_rule_keys", alert_ids=list(self._kept)):
            cause, reason, note, until = self._kept[found["alert_id"]]
            told = {"cause": cause, "reason": reason, "note": note, "expires_at": until, "acted_at": self.now}
            released = self.quarantine_id if cause == "released" else None
            rows.append(
                found
                | told
                | {"entry_id": new_id("allow"), "quarantine_id": released, "actor": self.principal.identity}
            )
        sql.insert(self.cursor, "allow_list", pa.Table.from_pylist(rows, schema=_ALLOWED))


_ALLOWED = pa.schema(
    [
        *(
            (name, pa.string())
            for name in (
                "entry_id", "alert_id", "corpus_id", "document_id", "content_hash", "detector", "rule_key",
            )
        ),
        ("score", pa.float64()),
        ("campaign_size", pa.int32()),
        *((name, pa.string()) for name in ("cause", "reason", "note")),
        ("expires_at", pa.timestamp("us")),
        ("quarantine_id", pa.string()),
        ("acted_at", pa.timestamp("us")),
        ("actor", pa.string()),
    ]
)  # fmt: skip


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
