"""What a job does to each of its alerts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.review import workflow
from ragsieve_core.review.not_allowed import NotAllowedError
from warehouse.acting import Acting
from warehouse.alert_rows import named, require_version
from warehouse.alert_state import state_of
from warehouse.decisions import check_verdict
from warehouse.errors import RefusedError
from warehouse.undoing import others_in_force

Act = Literal["decide", "undo", "redo", "reopen"]
ACTS: tuple[Act, ...] = get_args(Act)


@dataclass(frozen=True, slots=True)
class BulkAct:
    """What is done to each alert; ``verdict`` and ``reason`` for ``decide`` alone."""

    act: Act
    verdict: str = ""
    reason: str = ""
    note: str = ""
    at_once: bool = False

    def __post_init__(self) -> None:
        if self.act not in ACTS:
            raise InputError(f"unknown act {self.act!r}", where="act", expected=nearest(self.act, ACTS))
        if self.act == "decide":
            check_verdict(self.verdict, self.reason, self.note)


def prepare(acting: Acting, act: BulkAct, alerts: Sequence[str]) -> None:
    """Read at once what the act needs of all of them."""
    if act.act in ("undo", "redo"):
        acting.preload(alerts)


def do_item(acting: Acting, row: Mapping[str, Any] | None, item: Mapping[str, Any], act: BulkAct, job: Any) -> str:
    """Act on one item of a job, unless it changed since; returns the reason of a refusal, else an empty text."""
    if row is None:
        return "not_found"
    try:
        require_version(row, int(item["expected_version"]))
        do_act(acting, row, act, bulk=job["job_id"])
    except NotAllowedError as error:
        return str(named(error, row["alert_id"]).reason)
    except RefusedError as error:
        return str(error.reason)
    return ""


def do_act(acting: Acting, row: Mapping[str, Any], act: BulkAct, **payload: object) -> workflow.State:
    """Act on one alert; returns its new state."""
    if act.act == "decide":
        told = {"verdict": act.verdict, "reason": act.reason, "note": act.note, "at_once": act.at_once}
        return acting.decide(row, **told, **payload)  # type: ignore[arg-type]
    if act.act == "redo":
        return acting.redo(row, **payload)
    if act.act == "reopen":
        state = workflow.reopen(state_of(row))
        acting.step(row, "reopened", state, **payload)
        return state
    others: list[str] = []
    if row["status"] == "in_force":
        others = others_in_force(acting.cursor, row["corpus_id"], row["document_id"], row["alert_id"])
    if row["status"] == "in_force" and not acting.single and not others:
        raise NotAllowedError(
            "in_force", "ending a quarantine in force needs a second person", do="undo it alone, or roll back"
        )
    return acting.undo(row, remaining=others, **payload)
