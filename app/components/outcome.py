"""What came of the last act on a page: said on the page itself, with the name of a refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from app.components.labels import plain_label
from ragsieve_core.errors import RagsieveError
from warehouse.errors import PermissionRefusedError, RefusedError

_KEY: Final = "outcome"


def attempt(work: Callable[[], str]) -> bool:
    """Do an act inside a callback; the page that follows says what came of it. True where it was done.

    Parameters
    ----------
    work : makes the change and returns a line of ours, without untrusted text.
    """
    try:
        st.session_state[_KEY] = ("done", work(), "")
    except RefusedError as error:
        st.session_state[_KEY] = ("refused", str(error.reason), error.render())
    except PermissionRefusedError as error:
        st.session_state[_KEY] = ("refused", "not_allowed", error.render())
    except RagsieveError as error:
        st.session_state[_KEY] = ("refused", "", error.render())
    return bool(st.session_state[_KEY][0] == "done")


def show_outcome() -> None:
    """Draw it once."""
    state, word, detail = st.session_state.pop(_KEY, ("", "", ""))
    if state == "done":
        st.success(word, icon=":material/check:")
    elif state == "refused":
        st.error(f"**Nothing was changed.**{f' Refused: `{word}`' if word else ''}", icon=":material/block:")
        st.text(plain_lines(detail))


def plain_lines(text: str) -> str:
    """Lines of a message as visible lines."""
    return "\n".join(plain_label(line, 400) for line in text.splitlines() if line.strip())
