"""Every decision on an alert so far, with what it replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.deciding import words
from app.components.evidence.reading import decoded
from app.components.facts import moment
from app.components.labels import plain_label
from app.components.table import show_table, text_column


def decision_rows(history: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row per step that set the state, oldest first: when, who, step, old, new, note."""
    rows = []
    for step in history:
        if step["status"] is None or step["kind"] == "opened":
            continue
        payload: dict[str, Any] = decoded(step["payload"], {})
        before: dict[str, Any] = payload.get("before") or {}
        new = words.state(step["status"], step["verdict"], step["reason"])
        if step["status"] == "claimed" and step["holder"]:
            new = f"claimed by {plain_label(step['holder'], 40)} until {moment(step['expires_at'])}"
        old = words.state(before.get("status", "open"), before.get("verdict"), before.get("reason"))
        rows.append(
            {
                "when": moment(step["acted_at"]),
                "who": plain_label(step["actor"]),
                "step": words.STEPS.get(step["kind"], step["kind"]),
                "old": old,
                "new": new,
                "note": plain_label(step["note"], 300) if step["note"] else "",
                "more": _more(payload),
            }
        )
    return rows


def _more(payload: Mapping[str, Any]) -> str:
    told = []
    if payload.get("second_person"):
        told.append("second person: " + ", ".join(str(one).replace("_", " ") for one in payload["second_person"]))
    if payload.get("takeover_from"):
        told.append(f"taken over from {plain_label(payload['takeover_from'], 40)}")
    if payload.get("bulk"):
        told.append(f"bulk job {plain_label(payload['bulk'], 40)}")
    if payload.get("quarantine"):
        told.append(f"quarantine version {plain_label(payload['quarantine'], 40)}")
    return "; ".join(told)


def show_past(history: Sequence[Mapping[str, Any]], *, key: str) -> None:
    """Draw them."""
    rows = decision_rows(history)
    if not rows:
        st.caption("Nobody has claimed or decided it yet.")
        return
    columns = {
        "old": text_column("old", "State before the step."),
        "new": text_column("new", "State after the step."),
        "more": text_column("more", "Why a second person was needed, job, quarantine version."),
    }
    show_table(rows, columns, name="decisions", key=f"{key}_csv", most=8)
