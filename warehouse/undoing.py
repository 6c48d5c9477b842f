"""Undo, redo and reopening: further steps, never deletions. They work after a reload and from another browser."""

from __future__ import annotations

from dataclasses import dataclass, replace

import duckdb

from ragsieve_core.review import undo as rules
from ragsieve_core.review import workflow
from ragsieve_core.review.not_allowed import NotAllowedError
from warehouse import quarantine_store, sql
from warehouse.acting import Acting, act
from warehouse.alert_rows import require_version
from warehouse.alert_state import histories, state_of
from warehouse.alerts import alert_row
from warehouse.database import Warehouse
from warehouse.decisions import check_note
from warehouse.principal import Principal
from warehouse.quarantine_store import Change


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of an undo, redo or reopening.

    Attributes
    ----------
    version : the alert's version after it; unchanged where it waits.
    status : of the alert after it.
    quarantine_id : version that came into force with it, or that waits for a second person.
    waiting : True where a quarantine in force only ends when somebody else publishes ``quarantine_id``.
    """

    alert_id: str
    version: int
    status: str
    quarantine_id: str | None = None
    waiting: bool = False


@dataclass(frozen=True, slots=True)
class Undoable:
    """What undo and redo would do now, in words for a button; empty where nothing can be done, with the reason."""

    undo: str
    redo: str
    undo_refused: str
    redo_refused: str


def undo(wh: Warehouse, alert: str, expected_version: int, *, principal: Principal) -> Undone:
    """Take the last verdict or reopening back: the alert is exactly as before it, and its ended holds stand again.

    Where the quarantine is in force, a new version without the document is made: in shared mode it waits until somebody
    else publishes it (:func:`warehouse.quarantine.publish_version`), and the alert stays in force till then.

    Raises
    ------
    RefusedError
        ``nothing_to_undo``; ``undo_conflict``: somebody else acted since, or it is another person's verdict and the
        caller is no approver; ``stale_version``.
    """
    principal.require_person("reviewer", "undo a decision")

    def work(acting: Acting) -> Undone:
        row = alert_row(acting.cursor, alert, principal)
        chain = rules.chain(histories(acting.cursor, [alert])[alert])
        rules.to_undo(chain, principal.identity, any_author=principal.at_least("approver"))
        require_version(row, expected_version)
        others = others_in_force(acting.cursor, row["corpus_id"], row["document_id"], alert)
        if row["status"] == "in_force" and not acting.single and not others:
            return Undone(alert, expected_version, "in_force", _propose_removal(acting, row), waiting=True)
        state = acting.undo(row, remaining=others)
        return Undone(alert, expected_version + 1, state.status)

    done, acting = act(wh, principal, work, cause="undone", where=alert)
    return done if done.waiting else Undone(done.alert_id, done.version, done.status, acting.quarantine_id)


def redo(wh: Warehouse, alert: str, expected_version: int, *, principal: Principal) -> Undone:
    """Do again what was undone last, if nothing was done since; the first proposer stays one.

    Raises
    ------
    RefusedError
        ``nothing_to_redo``, ``undo_conflict``, ``stale_version``.
    """
    principal.require_person("reviewer", "redo a decision")

    def work(acting: Acting) -> Undone:
        row = alert_row(acting.cursor, alert, principal)
        state = acting.redo(row)
        require_version(row, expected_version)
        return Undone(alert, expected_version + 1, state.status)

    done, acting = act(wh, principal, work, cause="redone", where=alert)
    return Undone(done.alert_id, done.version, done.status, acting.quarantine_id)


def reopen(wh: Warehouse, alert: str, expected_version: int, *, principal: Principal, note: str = "") -> Undone:
    """Make a decided or released alert undecided again.

    Raises
    ------
    RefusedError
        ``not_decided``, ``waiting_for_approval``, ``in_force``, ``stale_version``.
    """
    principal.require_person("reviewer", "reopen an alert")
    check_note(note)

    def work(acting: Acting) -> Undone:
        row = alert_row(acting.cursor, alert, principal)
        state = replace(workflow.reopen(state_of(row)), note=note or None)
        require_version(row, expected_version)
        acting.step(row, "reopened", state)
        return Undone(alert, expected_version + 1, state.status)

    return act(wh, principal, work, cause="reopened", where=alert)[0]


def undoable(wh: Warehouse, alert: str, *, principal: Principal) -> Undoable:
    """What the caller could undo and redo on an alert now."""
    with wh.reading() as cursor:
        alert_row(cursor, alert, principal)
        found = rules.chain(histories(cursor, [alert])[alert])
    texts, refusals = [], []
    any_author = principal.at_least("approver")
    for rule in (rules.to_undo, rules.to_redo):
        try:
            change = rule(found, principal.identity, any_author=any_author)
            texts.append(change.step.state.verdict or change.step.kind)
            refusals.append("")
        except NotAllowedError as error:
            texts.append("")
            refusals.append(error.reason)
    return Undoable(texts[0], texts[1], refusals[0], refusals[1])


def _propose_removal(acting: Acting, row: dict[str, object]) -> str:
    key = (str(row["corpus_id"]), str(row["document_id"]))
    parent = quarantine_store.current(acting.cursor)
    held = quarantine_store.members(acting.cursor, parent)
    held.pop(key, None)
    change = Change(key, str(row["tenant"]), "removed", "undo", acting.actor, str(row["alert_id"]))
    return quarantine_store.store(
        acting.cursor, held, [change], parent=parent, restores=None, author=acting.actor, note="undo"
    )


def others_in_force(cursor: duckdb.DuckDBPyConnection, corpus_id: str, document_id: str, alert: str) -> list[str]:
    """Other alerts whose quarantine of the same document is in force."""
    found = sql.rows(cursor, "others_in_force", corpus_id=corpus_id, document_id=document_id, alert_id=alert)
    return [str(row["alert_id"]) for row in found]
