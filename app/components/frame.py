"""What stands around every page: the screen without a warehouse, and the line at the foot."""

from __future__ import annotations

import streamlit as st

from app.components.labels import plain_label
from app.session import Desk, MissingWarehouseError, warehouse_path
from ragsieve_core.errors import BusyError, RagsieveError

FLAG_MEANS = (
    "A flag means that a document looks *promoted*: placed to be retrieved. It does not mean that it is false, malicious "
    "or to be deleted."
)


def unavailable(error: RagsieveError) -> None:
    """The screen while there is no open warehouse: what is wrong, where, and what to do next."""
    if isinstance(error, MissingWarehouseError):
        st.title("No warehouse yet")
        st.markdown("This dashboard looks for the file")
        st.code(plain_label(warehouse_path(), 400), language=None)
        st.markdown("Fill it from the command line, then reload this page:")
        st.code("ragsieve demo                                # example corpus, scanned and replayed", language=None)
        st.code(
            "ragsieve ingest --corpus NAME DOCUMENTS.jsonl\nragsieve scan --corpus NAME", language=None, wrap_lines=True
        )
    elif isinstance(error, BusyError):
        st.title("The warehouse is in use")
        st.markdown("One process owns the file at a time. Another one has it now:")
        st.code(plain_label(error.what, 400), language=None, wrap_lines=True)
        st.markdown("Wait until it ends, or stop it, then try again. Nothing was changed.")
    else:
        st.title("The warehouse cannot be opened")
        for line in error.render().splitlines():
            st.code(plain_label(line, 600), language=None, wrap_lines=True)
    st.button("Try again", icon=":material/refresh:", type="primary")


def footer(desk: Desk) -> None:
    """Who is acting, on which file, and what a flag does not say: always in sight."""
    st.divider()
    if desk.single_user:
        mode = "Single-user mode: no sign-in, reachable from this computer only."
    else:
        mode = f"Signed in ({desk.principal.role})."
    st.caption(f"{FLAG_MEANS} {mode}")
    st.html(_who(desk))


def _who(desk: Desk) -> str:
    from app.components.labels import html_label

    return (
        '<div style="font-size:0.8rem;opacity:0.75">'
        f"{html_label(desk.principal.identity, 60)} · role {html_label(desk.principal.role)} · "
        f"warehouse {html_label(desk.warehouse.path.name, 80)}</div>"
    )
