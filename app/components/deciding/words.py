"""Names that are stored, in the words of the screens."""

from __future__ import annotations

from typing import Final

VERDICTS: Final = {
    "quarantine": "Quarantine",
    "keep": "Keep",
    "needs_verification": "Needs verification",
    "escalate": "Escalate",
}
VERDICT_MEANS: Final = {
    "quarantine": "Take it out of retrieval; it can be brought back.",
    "keep": "Leave it in retrieval; it does not alert again for the same text and detector version.",
    "needs_verification": "Somebody has to check the source first. Nothing changes in retrieval.",
    "escalate": "Hand it to somebody with more authority. Nothing changes in retrieval.",
}
VERDICT_ICONS: Final = {
    "quarantine": ":material/block:",
    "keep": ":material/check_circle:",
    "needs_verification": ":material/fact_check:",
    "escalate": ":material/priority_high:",
}
REASONS: Final = {
    "true_positive": "True positive: it is promoted",
    "benign": "Benign: flagged, but in order",
    "duplicate": "Duplicate of another alert",
    "policy_exception": "Policy exception",
    "other": "Other (say it in the note)",
}
LIKELY: Final = {"quarantine": "true_positive", "keep": "benign", "needs_verification": "other", "escalate": "other"}
STATUSES: Final = {
    "open": "open",
    "claimed": "claimed",
    "decided": "decided",
    "waiting": "waiting for approval",
    "in_force": "in force",
    "closed": "released",
}
STEPS: Final = {
    "opened": "opened",
    "claimed": "claimed",
    "claim_ended": "claim given back",
    "decided": "decided",
    "approved": "approved",
    "turned_down": "turned down",
    "in_force": "put in force",
    "released": "released",
    "rolled_back": "rolled back",
    "expired": "quarantine ran out",
    "undone": "undone",
    "redone": "done again",
    "reopened": "reopened",
    "realerted": "alerted again",
}
REFUSALS: Final = {
    "stale_version": "somebody changed this alert after you opened it",
    "not_a_person": "only a person may do this",
    "same_person": "who proposed it may not approve it",
    "nothing_to_do": "there is nothing to do",
    "held_by_other": "somebody else has claimed it",
    "claim_expired": "your claim ran out",
    "not_claimed": "nobody has claimed it",
    "already_decided": "it is decided already",
    "not_decided": "it is not decided yet",
    "waiting_for_approval": "a quarantine of it waits for approval",
    "not_waiting": "it does not wait for approval any more",
    "in_force": "its quarantine is in force",
    "not_in_force": "its quarantine is not in force",
    "released": "it was released: reopen it first",
    "nothing_to_undo": "there is nothing to undo",
    "nothing_to_redo": "there is nothing to do again",
    "undo_conflict": "somebody else acted since, or it is another person's step",
    "not_proposed": "that version is not proposed any more",
    "parent_changed": "another version came into force since",
    "not_found": "it is not there for you",
}


def refusal(reason: str) -> str:
    """A named reason in words; the name itself where there are none."""
    return REFUSALS.get(reason, reason.replace("_", " "))


def status(name: object) -> str:
    """A status in words."""
    return STATUSES.get(str(name), str(name))


def state(status_name: object, verdict: object, reason: object = None) -> str:
    """A whole state on one line: ``waiting for approval: quarantine (true positive)``."""
    text = status(status_name)
    if verdict:
        why = f" ({str(reason).replace('_', ' ')})" if reason else ""
        text += f": {str(verdict).replace('_', ' ')}{why}"
    return text


def short_state(status_name: object, verdict: object) -> str:
    """The same for a narrow column: ``waiting: quarantine``."""
    text = str(status_name).replace("_", " ")
    return f"{text}: {str(verdict).replace('_', ' ')}" if verdict else text
