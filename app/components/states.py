"""Named states of scans and answers in words: what a score cannot be trusted for is a state, never a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.evidence.reading import Candidate
from app.components.evidence.shape import mapping
from app.components.labels import safe_label
from ragsieve_core.serial import SuspectReason

SCAN_STATES = {
    "topology_silent": "**Density was silent in this scan.** Documents that mix writing systems used up the whole "
    "alert budget, so no document could be flagged for its neighbours. Look at the density itself.",
}
ANSWER_STATES = {
    "tail_contaminated": "**The tail of this query is contaminated.** The candidates were compared with documents "
    "that are suspects themselves, so the score can be too low.",
    "tail_too_short": "**The tail of this query was too short**, so its candidates were not scored.",
    "empty": "**Nothing was left** of this ranking to score.",
}
SUSPECT = {
    SuspectReason.OPEN_ALERT: "open RSG alert",
    SuspectReason.HOLD: "on hold",
    SuspectReason.RETAINED_NEIGHBOR: "retained neighbour of a candidate",
    SuspectReason.NEAR_COPY: "near copy of a candidate",
}


def show_scan_state(state: str) -> None:
    """A warning where the scan was not in order."""
    if state in SCAN_STATES:
        st.warning(SCAN_STATES[state], icon=":material/notifications_off:")


def show_answer_state(state: str, detail: Mapping[str, Any], tail: Sequence[str]) -> None:
    """A warning where the answer was not in order, with the suspects of the tail by name."""
    if detail.get("tail_short"):
        st.info(
            "**The tail of this query is shorter than usual**: the ranking held fewer documents than the rule looks "
            "at. Evidence is weaker, not wrong.",
            icon=":material/short_text:",
        )
    if state == "ok":
        return
    words = ANSWER_STATES.get(state, f"State of this answer: {safe_label(state.replace('_', ' '))}.")
    suspects = mapping(detail.get("tail_suspects"))
    if state == "tail_contaminated" and suspects:
        shown = [f"{safe_label(name, 40)} ({_reason(why)})" for name, why in list(suspects.items())[:6]]
        more = f" and {len(suspects) - 6} more" if len(suspects) > 6 else ""
        words += f" {len(suspects)} of {len(tail)}: {', '.join(shown)}{more}."
    st.warning(words, icon=":material/blur_on:")


def _reason(why: object) -> str:
    known = {str(reason): words for reason, words in SUSPECT.items()}
    return known.get(str(why)) or safe_label(str(why).replace("_", " "), 40)


def show_own_states(found: Candidate) -> None:
    """What `calibrated` says of the document beside its score."""
    if found.own.get("repeats_question"):
        st.info(
            "**It repeats the question word for word.** Planted documents do, and so do quizzes and lists of "
            "questions: a state, not evidence, and not in the score.",
            icon=":material/format_quote:",
        )
