"""Words shown once: they go with the next thing that a person does, and stay while a page draws itself anew.

A part of a page that watches work in the background draws the whole page again when the work ends, which may be a
moment after a person acted. What that act came to (or a secret shown this once) must not go with it unread.
"""

from __future__ import annotations

from typing import Any, Final, Never

import streamlit as st

_TAKEN: Final = "taken_once"


def begin_run() -> None:
    """Forget what the run before showed: a person did something since."""
    st.session_state.pop(_TAKEN, None)


def take(key: str) -> Any:
    """The value of ``key`` in the session, which leaves it; None where there is none."""
    value = st.session_state.pop(key, None)
    if value is not None:
        st.session_state[_TAKEN] = {**st.session_state.get(_TAKEN, {}), key: value}
    return value


def draw_again() -> Never:
    """Draw the whole page anew, by itself: what this run showed once is shown again, unless newer words wait."""
    for key, value in st.session_state.pop(_TAKEN, {}).items():
        st.session_state.setdefault(key, value)
    st.rerun()
