"""The states of an alert and the steps between them.

open -> claimed -> decided, waiting (a quarantine that needs a second person) or in_force -> closed (released). A claim
that ran out counts as open. Every step is a function from a whole state to a whole state; what it may not do it refuses
by a name. Nothing here reads a clock: the caller says what time it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, get_args

from ragsieve_core.errors import InputError
from ragsieve_core.review.not_allowed import NotAllowedError

Status = Literal["open", "claimed", "decided", "waiting", "in_force", "closed"]
STATUSES: tuple[Status, ...] = get_args(Status)
UNDECIDED: tuple[Status, ...] = ("open", "claimed")
Verdict = Literal["quarantine", "keep", "needs_verification", "escalate"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
Reason = Literal["true_positive", "benign", "duplicate", "policy_exception", "other"]
REASONS: tuple[Reason, ...] = get_args(Reason)
LONGEST_CLAIM_MINUTES = 24 * 60.0


@dataclass(frozen=True, slots=True)
class State:
    """A whole state of an alert; what is None is unset. ``expires_at`` (naive UTC) is the end of the claim."""

    status: str = "open"
    holder: str | None = None
    expires_at: datetime | None = None
    verdict: str | None = None
    reason: str | None = None
    note: str | None = None


def status_at(state: State, now: datetime) -> str:
    """The status as it counts at ``now``: a claim that ran out is open."""
    expired = state.status == "claimed" and state.expires_at is not None and state.expires_at <= now
    return "open" if expired else state.status


def sound(state: State) -> bool:
    """True for a state that the steps can lead to; the invariant of every history.

    A holder and an end exist while claimed and only then; a verdict exists from decided on and only then; waiting and
    in force are quarantines; closed is a keep.
    """
    claimed = state.status == "claimed"
    if (state.holder is not None) != claimed or (state.expires_at is not None) != claimed:
        return False
    if state.status in UNDECIDED:
        return state.verdict is None and state.reason is None
    if state.verdict not in VERDICTS or state.reason not in REASONS:
        return False
    if state.status in ("waiting", "in_force"):
        return state.verdict == "quarantine"
    return state.status == "decided" or (state.status == "closed" and state.verdict == "keep")


def claim(state: State, actor: str, now: datetime, *, minutes: float, takeover: bool = False) -> State:
    """Hold an undecided alert for ``minutes``; by its holder it is extended, from another it takes ``takeover``.

    Raises
    ------
    NotAllowedError
        ``held_by_other``; ``already_decided``.
    InputError
        minutes outside (0, 1440].
    """
    if not 0 < minutes <= LONGEST_CLAIM_MINUTES:
        raise InputError(
            f"a claim of {minutes} minutes", where="minutes", expected=f"above 0, at most {LONGEST_CLAIM_MINUTES:.0f}"
        )
    _require_undecided(state)
    if not takeover:
        _require_free(state, actor, now)
    return State("claimed", actor, now + timedelta(minutes=minutes))


def give_back(state: State, actor: str, now: datetime) -> State:
    """End one's own claim.

    Raises
    ------
    NotAllowedError
        ``not_claimed``: nobody holds it; ``held_by_other``.
    """
    if status_at(state, now) != "claimed":
        raise NotAllowedError("not_claimed", "nobody holds this alert now", do="claim it first")
    _require_free(state, actor, now)
    return State()


def decide(
    state: State,
    actor: str,
    now: datetime,
    *,
    verdict: str,
    reason: str,
    note: str = "",
    second_person: bool = False,
    at_once: bool = False,
) -> State:
    """Give a verdict.

    Parameters
    ----------
    second_person : the two-person rule applies to a quarantine of this alert: it waits.
    at_once : a quarantine that needs no second person is put in force by the caller with this step.

    Raises
    ------
    NotAllowedError
        ``held_by_other``; ``claim_expired``: the caller's own claim ran out; ``waiting_for_approval``, ``in_force``,
        ``released``: a verdict that first has to be undone, released or reopened.
    """
    if state.status == "waiting":
        raise NotAllowedError("waiting_for_approval", "a quarantine of this alert waits for approval", do="undo it")
    if state.status == "in_force":
        raise NotAllowedError("in_force", "the quarantine of this alert is in force", do="release it or undo it")
    if state.status == "closed":
        raise NotAllowedError("released", "the document was released", do="reopen the alert first")
    if state.status == "claimed":
        _require_free(state, actor, now)
        if state.holder == actor and status_at(state, now) == "open":
            raise NotAllowedError(
                "claim_expired",
                f"your claim ended at {state.expires_at:%Y-%m-%d %H:%M:%S} UTC",
                expected="a claim that still holds",
                do="claim it again and look at what changed",
            )
    status = "decided"
    if verdict == "quarantine":
        status = "waiting" if second_person else "in_force" if at_once else "decided"
    return State(status, verdict=verdict, reason=reason, note=note)


def approve(state: State) -> State:
    """A second person puts a waiting quarantine in force.

    Raises
    ------
    NotAllowedError
        ``not_waiting``.
    """
    _require_waiting(state)
    return replace(state, status="in_force")


def turn_down(state: State) -> State:
    """A second person refuses a waiting quarantine: the alert is open again. Raises ``not_waiting``."""
    _require_waiting(state)
    return State()


def put_in_force(state: State) -> State:
    """The published quarantine holds the document, whatever its alert said before."""
    if state.verdict == "quarantine":
        return replace(state, status="in_force", holder=None, expires_at=None)
    return State("in_force", verdict="quarantine", reason="other", note=state.note)


def release(state: State, *, reason: str, note: str = "") -> State:
    """The published quarantine holds the document no more, because it was released. Raises ``not_in_force``."""
    if state.status != "in_force":
        raise NotAllowedError("not_in_force", f"the quarantine of this alert is not in force (it is {state.status})")
    return State("closed", verdict="keep", reason=reason, note=note)


def reopen(state: State) -> State:
    """Back to undecided.

    Raises
    ------
    NotAllowedError
        ``not_decided``; ``waiting_for_approval`` and ``in_force``, which end otherwise.
    """
    if state.status in UNDECIDED:
        raise NotAllowedError("not_decided", "this alert is undecided", do="claim it or decide on it")
    if state.status == "waiting":
        raise NotAllowedError("waiting_for_approval", "a quarantine of this alert waits for approval", do="undo it")
    if state.status == "in_force":
        raise NotAllowedError("in_force", "the quarantine of this alert is in force", do="release it or undo it")
    return State()


def _require_undecided(state: State) -> None:
    if state.status not in UNDECIDED:
        raise NotAllowedError(
            "already_decided", f"this alert is {state.verdict or state.status}", do="reopen it to look at it again"
        )


def _require_free(state: State, actor: str, now: datetime) -> None:
    if status_at(state, now) == "claimed" and state.holder != actor:
        raise NotAllowedError(
            "held_by_other",
            f"{state.holder} holds this alert until {state.expires_at:%Y-%m-%d %H:%M:%S} UTC",
            do="wait, ask them, or take it over",
        )


def _require_waiting(state: State) -> None:
    if state.status != "waiting":
        raise NotAllowedError(
            "not_waiting", f"no quarantine of this alert waits for approval (it is {state.status})", do="reload it"
        )
