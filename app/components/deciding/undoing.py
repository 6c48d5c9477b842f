"""Undo, redo and reopening, with the named reason where one of them cannot be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st

from app.components.deciding import words
from app.components.outcome import attempt, short
from app.session import Desk
from warehouse.undoing import Undone, redo, reopen, undo, undoable

_ACTS: Final[dict[str, Callable[..., Undone]]] = {"undo": undo, "redo": redo, "reopen": reopen}
_DONE: Final = {"undo": "Undone", "redo": "Done again", "reopen": "Reopened"}
_NOTHING: Final = ("nothing_to_undo", "nothing_to_redo")


def show_undoing(here: Desk, alert: Mapping[str, Any]) -> None:
    """The buttons for what can be taken back; why not, where it cannot."""
    name, version = str(alert["alert_id"]), int(alert["version"])
    can = undoable(here.warehouse, name, principal=here.principal)
    if can.undo:
        _button("undo", f"Undo: {can.undo.replace('_', ' ')}", "u", ":material/undo:", name, version)
    if can.redo:
        _button("redo", f"Redo: {can.redo.replace('_', ' ')}", "y", ":material/redo:", name, version)
    if alert["status"] in ("decided", "closed"):
        _button("reopen", "Reopen", "o", ":material/lock_open:", name, version)
    for act, reason in (("Undo", can.undo_refused), ("Redo", can.redo_refused)):
        if reason and reason not in _NOTHING:
            st.caption(f"{act} is not possible: {words.refusal(reason)} (`{reason}`).", width="content")


def _button(act: str, label: str, shortcut: str, icon: str, alert: str, version: int) -> None:
    st.button(label, key=act, shortcut=shortcut, icon=icon, on_click=take_back, args=(act, alert, version))


def take_back(act: str, alert: str, version: int) -> None:
    """Callback of all three."""

    def work(here: Desk) -> str:
        done = _ACTS[act](here.warehouse, alert, version, principal=here.principal)
        if done.waiting:
            return (
                f"The quarantine stays in force until somebody else publishes version {short(done.quarantine_id)}, "
                "which leaves the document out: see Quarantine versions."
            )
        return f"{_DONE[act]}: the alert is {words.status(done.status)}."

    attempt(work)
