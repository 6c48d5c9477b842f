"""State of a page in its address: the address is the truth, a control only writes it.

Before a control is drawn its value is taken from the address; when a reviewer moves it, the callback puts the new value
there. So a link, a reload and the browser's back button all show the same view. Values are the raw names and ids, never
labels (Streamlit's own binding stores what the control shows), and whatever is not on offer counts as absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T", str, int)

_BUTTON, _BUTTONS = 44, 7
"""Pixels of a button of the pager, and pages that it has a button for."""


def one_of(key: str, options: Sequence[T], default: T | None = None) -> T | None:
    """Set and return the value of a single choice."""
    names = {str(option): option for option in options}
    value = names.get(st.query_params.get(key, ""), default)
    st.session_state[key] = value
    return value


def some_of(key: str, options: Sequence[str]) -> list[str]:
    """Set and return the values of a multiple choice, in the order of ``options``."""
    asked = set(st.query_params.get_all(key))
    values = [option for option in options if option in asked]
    st.session_state[key] = values
    return values


def line(key: str, limit: int = 200) -> str:
    """Set and return a line of text, cut at ``limit`` characters."""
    value: str = st.query_params.get(key, "")[:limit]
    st.session_state[key] = value
    return value


def whole(key: str, low: int, high: int, default: int) -> int:
    """Set and return a whole number in [low, high]; what is no number counts as absent."""
    text = st.query_params.get(key, "")
    # Digits of other scripts are numbers to Python and a surprise to everyone else
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default
    value = min(max(value, low), high)
    st.session_state[key] = value
    return value


def keep(key: str, default: Any = None, forget: Sequence[str] = ()) -> None:
    """Callback of a control: its value goes into the address, and ``forget`` goes out of it.

    A value equal to ``default``, or empty, leaves the address, so that the plain address stays the plain view.
    """
    value = st.session_state[key]
    if value in (default, None, "", []):
        st.query_params.pop(key, None)
    else:
        st.query_params[key] = value
    for other in forget:
        st.query_params.pop(other, None)


def number(key: str, low: float, high: float, default: float) -> float:
    """Set and return a number in [low, high]; what is no finite number counts as absent."""
    try:
        value = float(st.query_params.get(key, ""))
    except ValueError:
        value = default
    value = min(max(value, low), high) if low <= value <= high or abs(value) < float("inf") else default
    st.session_state[key] = value
    return value


def bound(key: str, default: Any = None, forget: Sequence[str] = ()) -> dict[str, Any]:
    """Arguments of a control that :func:`keep` writes into the address."""
    return {"key": key, "on_change": keep, "args": (key, default, tuple(forget))}


def pager(pages: int) -> None:
    """Draw the pager of a table with so many pages; a single one needs none."""
    if pages > 1:
        whole("page", 1, pages, 1)
        # Left to its content it hides pages where it stands beside something else
        width = _BUTTON * (min(pages, _BUTTONS) + 2)
        st.pagination(pages, max_visible_pages=_BUTTONS, width=width, key="page", on_change=keep, args=("page", 1))
