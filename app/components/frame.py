"""What stands around every page: margins, the screen without a warehouse, and the line at the foot."""

from __future__ import annotations

import streamlit as st

from app.components.labels import html_label, plain_label
from app.components.untrusted_text import MARK_STYLE
from app.session import Desk, MissingWarehouseError, warehouse_path
from ragsieve_core.errors import BusyError, RagsieveError

FLAG_MEANS = (
    "A flag means that a document looks <i>promoted</i>: placed to be retrieved. It does not mean that it is false, "
    "malicious or to be deleted."
)
# Streamlit's own margins leave a third of a laptop screen empty. Its captions, the grey of its charts on white, and
# white on the light accent of the dark theme, miss the contrast of 4.5 that WCAG 2 asks of text
_STYLE = """
[data-testid="stMainBlockContainer"] {padding: 4rem 2rem 2rem 2rem; max-width: 1680px}
[data-testid="stSidebarHeader"] {height: 2.2rem; padding: 0}
[data-testid="stCaptionContainer"] {opacity: 0.82}
[data-testid="stBaseButton-primary"]:not(:disabled), [data-testid="stMultiSelect"] span:has(> [title]),
[data-testid="stMultiSelect"] span[title], [data-testid="stBaseButton-primaryFormSubmit"]:not(:disabled)
{color: light-dark(#fff, #12171d)}
[data-testid="stMarkdownContainer"] code {unicode-bidi: isolate}
.js-plotly-plot text[style*="rgb(128, 132, 149)"] {fill: #56606b !important}
[role="dialog"] li code {font-size: 0.95em}
.st-key-question_mark {display: none}
"""
_FOOT = "font-size:0.8rem;opacity:0.78;border-top:1px solid rgba(128,138,150,0.35);padding-top:0.7rem;margin-top:1.2rem"


def frame_style() -> None:
    """Margins of every page."""
    st.html(f"<style>{_STYLE}{MARK_STYLE}</style>")


def unavailable(error: RagsieveError) -> None:
    """The screen while there is no open warehouse: what is wrong, where, and what to do next."""
    if isinstance(error, MissingWarehouseError):
        st.title("No warehouse yet")
        st.markdown("This dashboard looks for the file")
        _code(warehouse_path())
        st.markdown("Make one with the example corpus, scanned and replayed:")
        _code("ragsieve demo")
        st.markdown("or with your own documents, then reload this page:")
        st.code("ragsieve ingest --corpus NAME DOCUMENTS.jsonl\nragsieve scan --corpus NAME", language=None)
    elif isinstance(error, BusyError):
        st.title("The warehouse is in use")
        st.markdown("One process owns the file at a time. Another one has it now:")
        _code(error.what)
        st.markdown("Wait until it ends, or stop it, then try again. Nothing was changed.")
    else:
        st.title("The warehouse cannot be opened")
        for line in error.render().splitlines():
            _code(line)
    st.button("Try again", icon=":material/refresh:", type="primary")


def _code(line: object) -> None:
    st.code(plain_label(line, 600), language=None, wrap_lines=True)


def footer(desk: Desk) -> None:
    """What a flag does not say, who is acting, and on which file: always in sight."""
    mode = (
        "Single-user mode: no sign-in, reachable from this computer only."
        if desk.single_user
        else "Signed in by the server."
    )
    who = f"{html_label(desk.principal.identity, 60)} ({desk.principal.role})"
    st.html(f'<div style="{_FOOT}">{FLAG_MEANS}<br>{mode} {who} · {html_label(desk.warehouse.path.name, 80)}</div>')
