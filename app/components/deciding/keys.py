"""The sheet of keys, opened by `?`, and the key that leads to the note.

Streamlit's shortcuts press buttons, and are letters, digits and named keys: `?` is none of them, and where it lies
differs between keyboards. A listener of ours hears the character itself and says so to the page.
"""

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
        ("w", "write the note, once a verdict is chosen; Shift + Tab leads to the reason, Tab on to saving"),
        ("n", "save, then claim and open the next"),
        ("s", "save"),
        ("j", "next open alert, without a verdict"),
        ("u", "undo"),
        ("y", "redo"),
        ("o", "reopen"),
        ("a", "approve, or put in force"),
        ("t", "turn down"),
        ("?", "this sheet"),
    ),
    "queue": (
        ("n", "claim and open the next open alert of this view"),
        ("w", "write the note of an act on many"),
        ("?", "this sheet"),
    ),
    "blind": (
        ("y", "looks placed"),
        ("n", "does not"),
        ("u", "cannot tell"),
        ("w", "write the note"),
        ("?", "this sheet"),
    ),
}


# Nothing of a document reaches it: no data goes in, and a bare "pressed" comes out
_LISTENER: Final = """
export default function ({ setTriggerValue }) {
    const typing = (at) => at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName);
    const heard = (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
        if (event.key === "?") setTriggerValue("pressed", true);
        if (event.key !== "w") return;
        const note = document.querySelector('textarea[aria-label="Note"], input[aria-label="Note"]');
        if (note) {
            // Else the letter would be the first of the note
            event.preventDefault();
            note.focus();
        }
    };
    document.addEventListener("keydown", heard);
    return () => document.removeEventListener("keydown", heard);
}
"""
_listen = st.components.v2.component("ragsieve_question_mark", js=_LISTENER)


def show_keys(page: str) -> None:
    """The button that opens the sheet of a page; the key `?` does the same."""
    heard = _listen(key="question_mark", on_pressed_change=lambda: None)
    if (
        st.button("?", key="keys", help="Keys of this page. The key ? opens them too.", type="tertiary")
        or heard.pressed
    ):
        _sheet(page)


@st.dialog("Keys")
def _sheet(page: str) -> None:
    st.markdown("\n".join(f"- `{key}` {meaning}" for key, meaning in SHEETS[page]))
    st.caption("Keys do nothing while you type in a field. Esc closes this.")
