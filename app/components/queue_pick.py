"""Rows picked by alert id: kept over paging, sorting and filters, whatever place a row stands at.

What is picked is either what a bulk act is for (``select``) or what it leaves out (``leave_out``); the two are kept
apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import streamlit as st

Purpose = Literal["select", "leave_out"]
COLUMN: Final = "pick"
_SETS: Final = {"select": "queue_selected", "leave_out": "queue_left_out"}
_GENERATION: Final = "queue_pick_generation"
_BASE: Final = "queue_pick_base"


def picked(purpose: Purpose) -> list[str]:
    """Ids in the order in which they were picked."""
    return list(st.session_state.get(_SETS[purpose], ()))


def clear(purpose: Purpose) -> None:
    """Callback: pick nothing any more."""
    put(purpose, [])


def put(purpose: Purpose, ids: Sequence[str]) -> None:
    """Pick exactly these."""
    st.session_state[_SETS[purpose]] = list(dict.fromkeys(ids))
    st.session_state[_GENERATION] = st.session_state.get(_GENERATION, 0) + 1


def flip(purpose: Purpose, alert: str) -> None:
    """Callback: pick one, or let it go."""
    chosen = picked(purpose)
    put(purpose, [one for one in chosen if one != alert] if alert in chosen else [*chosen, alert])


def table_key(purpose: Purpose, rows: Sequence[Mapping[str, Any]]) -> str:
    """Key of a table that shows these rows, and note what is ticked in it from the start.

    A table forgets its ticks where its rows change; a new key then starts from what is picked.
    """
    told = repr((purpose, st.session_state.get(_GENERATION, 0), [sorted(row.items()) for row in rows]))
    key = f"queue_pick_{hashlib.sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    base: tuple[str, frozenset[str]] = st.session_state.get(_BASE, ("", frozenset()))
    if base[0] != key:
        st.session_state[_BASE] = (key, frozenset(picked(purpose)))
    return key


def ticked(alert: str) -> bool:
    """Whether the row is ticked from the start in the table of the last :func:`table_key`."""
    return alert in st.session_state[_BASE][1]


def take(key: str, purpose: Purpose, ids: Sequence[str]) -> None:
    """Callback of the table: ``ids`` are those of its rows, in the order in which it was given them."""
    edits: Mapping[Any, Mapping[str, Any]] = st.session_state[key]["edited_rows"]
    before = st.session_state[_BASE][1]
    now = {alert for place, alert in enumerate(ids) if edits.get(place, {}).get(COLUMN, alert in before)}
    chosen = [alert for alert in picked(purpose) if alert not in ids or alert in now]
    # Not by `put`: the table that was clicked shows its ticks already and stays as it is
    st.session_state[_SETS[purpose]] = [*chosen, *(alert for alert in ids if alert in now and alert not in chosen)]
