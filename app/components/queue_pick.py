"""Rows picked by alert id: kept over paging, sorting and filters, whatever place a row stands at.

What is picked is either what a bulk act is for (``select``) or what it leaves out (``leave_out``); the two are kept
apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import streamlit as st

Purpose = Literal["select", "leave_out"]
COLUMN: Final = "pick"
_OF: Final = "queue_left_out_of"
_SETS: Final = {"select": "queue_selected", "leave_out": "queue_left_out"}
TICKED: Final = "☑"
UNTICKED: Final = "☐"


def picked(purpose: Purpose) -> list[str]:
    """Ids in the order in which they were picked."""
    return list(st.session_state.get(_SETS[purpose], ()))


def clear(purpose: Purpose) -> None:
    """Callback: pick nothing any more."""
    put(purpose, [])


def put(purpose: Purpose, ids: Sequence[str]) -> None:
    """Pick exactly these."""
    st.session_state[_SETS[purpose]] = list(dict.fromkeys(ids))


def leave_out_of(scope: object) -> None:
    """What is left out belongs to one scope, a campaign's id or filters: of another, nothing is left out."""
    if st.session_state.get(_OF, scope) != scope:
        put("leave_out", [])
    st.session_state[_OF] = scope


def flip(purpose: Purpose, alert: str) -> None:
    """Callback: pick one, or let it go."""
    chosen = picked(purpose)
    put(purpose, [one for one in chosen if one != alert] if alert in chosen else [*chosen, alert])
