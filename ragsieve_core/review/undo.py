"""What can be undone and redone in the history of one alert, and what stands against it.

A history is only appended: undo is a further step that restores the state before another one. Verdicts and reopenings
can be undone, the latest first, and redone until something else is done. A later act of somebody else is a conflict.
What other people or the machine settled (an approval turned down, a release, a re-alert) ends the chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragsieve_core.review.not_allowed import NotAllowedError
from ragsieve_core.review.workflow import State

_FOLLOWS = ("approved", "in_force")
"""Steps that carry a verdict further and are undone with it."""
_PASSING = ("claimed", "claim_ended")
"""Steps that settle nothing; somebody else's are a conflict."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a history: number, kind, who, and the whole state after it."""

    seq: int
    kind: str
    actor: str
    state: State


@dataclass(frozen=True, slots=True)
class Change:
    """A step with the state before it; ``since`` are others who acted on the alert after it, latest last."""

    step: Step
    before: State
    since: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chain:
    """``undo``: changes that stand, ``redo``: changes that were undone; both latest last."""

    undo: tuple[Change, ...] = ()
    redo: tuple[Change, ...] = ()


def chain(history: Sequence[Step]) -> Chain:
    """Fold a history, oldest first, into what can be undone and redone."""
    undo: list[Change] = []
    redo: list[Change] = []
    # Who acted after the last settled point; an approval is part of what it approves, not a conflict.
    before = State()
    since: list[str] = []
    for step in history:
        if step.kind in ("decided", "reopened"):
            undo, redo, since = [*undo, Change(step, before)], [], []
        elif step.kind == "undone" and undo:
            redo.append(undo.pop())
            since = []
        elif step.kind == "redone" and redo:
            change = redo.pop()
            undo.append(Change(Step(step.seq, change.step.kind, change.step.actor, step.state), before))
            since = []
        elif step.kind in _PASSING:
            since.append(step.actor)
        elif step.kind not in _FOLLOWS and step.kind != "opened":
            undo, redo, since = [], [], []
        before = step.state

    def marked(changes: list[Change]) -> tuple[Change, ...]:
        return (*changes[:-1], Change(changes[-1].step, changes[-1].before, tuple(since))) if changes else ()

    return Chain(marked(undo), marked(redo))


def to_undo(found: Chain, actor: str, *, any_author: bool = False) -> Change:
    """The change that ``actor`` may undo now.

    Parameters
    ----------
    any_author : an approver may undo another person's verdict.

    Raises
    ------
    NotAllowedError
        ``nothing_to_undo``; ``undo_conflict``: somebody else acted since, or the verdict is another person's.
    """
    if not found.undo:
        raise NotAllowedError("nothing_to_undo", "there is nothing left to undo on this alert", do="reopen it instead")
    change = found.undo[-1]
    if change.step.actor != actor and not any_author:
        raise NotAllowedError(
            "undo_conflict", f"this is a step of {change.step.actor}", expected="your own step, or the role approver"
        )
    _require_undisturbed(change, actor)
    return change


def to_redo(found: Chain, actor: str, *, any_author: bool = False) -> Change:
    """The undone change that ``actor`` may do again now.

    Raises
    ------
    NotAllowedError
        ``nothing_to_redo``; ``undo_conflict``.
    """
    if not found.redo:
        raise NotAllowedError("nothing_to_redo", "nothing was undone on this alert, or something was done since")
    change = found.redo[-1]
    if change.step.actor != actor and not any_author:
        raise NotAllowedError(
            "undo_conflict", f"this is a step of {change.step.actor}", expected="your own step, or the role approver"
        )
    _require_undisturbed(change, actor)
    return change


def proposers(history: Sequence[Step]) -> frozenset[str]:
    """Everyone who gave the standing quarantine verdict: none of them may approve it.

    Whoever first gave it stays among them when it is undone and redone, taken over or decided again.
    """
    found: set[str] = set()
    for step in history:
        if step.kind in ("decided", "redone") and step.state.verdict == "quarantine":
            found.add(step.actor)
        elif step.kind not in (*_PASSING, *_FOLLOWS, "undone"):
            found.clear()
    return frozenset(found)


def _require_undisturbed(change: Change, actor: str) -> None:
    others = [name for name in change.since if name != actor]
    if others:
        raise NotAllowedError(
            "undo_conflict", f"{others[-1]} acted on this alert since", do="look at it again and decide anew"
        )
