"""The sheet of keys. Streamlit takes letters, digits and named keys only, so that `h` opens it and `?` is its label."""

from __future__ import annotations

from typing import Final

import streamlit as st

SHEETS: Final = {
    "alert": (
        ("m", "claim it (make it mine), or extend the claim"),
        ("x", "give the claim back"),
        ("q", "verdict: quarantine"),
        ("k", "verdict: keep"),
        ("v", "verdict: needs verification"),
        ("e", "verdict: escalate"),
        ("n", "save, then claim and open the next"),
        ("s", "save"),
        ("j", "next open alert, without a verdict"),
        ("u", "undo"),
        ("y", "redo"),
        ("o", "reopen"),
        ("a", "approve, or put in force"),
        ("t", "turn down"),
        ("h", "this sheet"),
    ),
    "queue": (("n", "claim and open the next open alert of this view"), ("h", "this sheet")),
}


def show_keys(page: str) -> None:
    """The button that opens the sheet of a page."""
    if st.button("?", key="keys", shortcut="h", help="Keys of this page.", type="tertiary"):
        _sheet(page)


@st.dialog("Keys")
def _sheet(page: str) -> None:
    st.markdown("\n".join(f"- `{key}` {meaning}" for key, meaning in SHEETS[page]))
    st.caption("Keys do nothing while you type in a field. Esc closes this.")
