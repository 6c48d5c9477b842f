"""An act of a person as a callback, and what came of it: done and said, or refused by name with everything typed kept.

A callback runs to its end whatever is clicked meanwhile, which a page does not: it is the only place that writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import streamlit as st

from app.components.deciding import words
from app.components.labels import plain_label, safe_label
from app.components.once import take
from app.pages_map import ALERT, page_file
from app.session import Desk, desk
from ragsieve_core.errors import RagsieveError
from warehouse.errors import PermissionRefusedError

_SAID: Final = "outcome"
_NAMES: Final = {"not_allowed": "your role does not allow it", "not_usable": "this cannot be used as it is"}
"""Refusals that the warehouse gives no name of its own."""


@dataclass(frozen=True, slots=True)
class Said:
    """What an act came to.

    Attributes
    ----------
    reason : name of the refusal.
    place : section of the page that says it.
    alert : where it was done, for a link back.
    """

    done: bool
    text: str
    reason: str = ""
    place: str = "page"
    alert: str = ""


def attempt(work: Callable[[Desk], str], *, place: str = "page", alert: str = "") -> bool:
    """Run ``work(desk)``, which returns what it did in words of ours; True where it was done."""
    try:
        said = Said(True, work(desk()), place=place, alert=alert)
    except RagsieveError as error:
        reason = str(getattr(error, "reason", "")) or (
            "not_allowed" if isinstance(error, PermissionRefusedError) else "not_usable"
        )
        said = Said(False, error.render(), reason, place)
    st.session_state[_SAID] = said
    return said.done


def show_outcome(place: str = "page") -> None:
    """What the last act of this section came to, once."""
    said: Said | None = st.session_state.get(_SAID)
    if said is None or said.place != place:
        return
    take(_SAID)
    if said.done:
        st.success(said.text, icon=":material/check:")
        if said.alert:
            st.page_link(
                page_file(ALERT), label="Go back to it", icon=":material/undo:", query_params={"alert": said.alert}
            )
        return
    meaning = _NAMES.get(said.reason) or words.refusal(said.reason)
    st.error(
        f"**Not done: {meaning}** (`{said.reason}`). Nothing was changed, and what you typed is still here.  \n"
        + "  \n".join(safe_label(line, 300) for line in said.text.splitlines() if line.strip()),
        icon=":material/block:",
    )


def plain_lines(text: str) -> str:
    """Lines of a message as visible lines."""
    return "\n".join(plain_label(line, 400) for line in text.splitlines() if line.strip())


def short(text: object, limit: int = 60) -> str:
    """An untrusted name for a success message."""
    return safe_label(plain_label(text, limit), limit)
