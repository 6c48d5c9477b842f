"""Saved views of the queue: kept in the warehouse for the person, so that they are there in any browser."""

from __future__ import annotations

import streamlit as st

from app.components.labels import safe_label
from app.components.outcome import attempt, short
from app.components.queue_view import KEPT
from app.pages_map import QUEUE, page_file
from app.session import Desk
from warehouse.views import LONGEST_NAME, list_views, remove_view, save_view

_NAME = "view_name"


def show_views(here: Desk) -> None:
    """A list of one's own views, each a link, and a field that keeps the one on the screen."""
    views = list_views(here.warehouse, principal=here.principal)
    with st.popover(f"Views ({len(views)})" if views else "Views", icon=":material/bookmark:"):
        if not views:
            st.caption("Set filters and order as you like them, then keep them here under a name.")
        for place, view in enumerate(views):
            with st.container(horizontal=True, vertical_alignment="center"):
                query = {name: values for name, values in view["query"].items() if name in KEPT}
                st.page_link(page_file(QUEUE), label=safe_label(view["name"], LONGEST_NAME), query_params=query)
                st.button("", key=f"remove_view_{place}", icon=":material/delete:", type="tertiary",
                          help="Take this view away.", on_click=remove, args=(view["name"],))  # fmt: skip
        st.text_input("Keep this view as", key=_NAME, max_chars=LONGEST_NAME)
        st.button("Keep", key="save_view", icon=":material/bookmark_add:", on_click=keep)
        st.caption("Only you see your views. To share one, send the address of the page.")


def keep() -> None:
    """Callback: keep what the address says under the name in the field."""
    name = str(st.session_state.get(_NAME) or "")
    query = {key: st.query_params.get_all(key) for key in KEPT if key in st.query_params}

    def work(here: Desk) -> str:
        save_view(here.warehouse, name, query, principal=here.principal)
        return f"Kept as {short(name.strip())}: find it under Views, in any browser."

    if attempt(work):
        st.session_state[_NAME] = ""


def remove(name: str) -> None:
    """Callback: take a view away."""

    def work(here: Desk) -> str:
        remove_view(here.warehouse, name, principal=here.principal)
        return f"Taken away: {short(name)}."

    attempt(work)
