"""The queue: which documents look promoted, most urgent first. Filtered, sorted and cut in DuckDB."""

from __future__ import annotations

import math

import streamlit as st

from app.components import url_state
from app.components.csv_export import csv_download
from app.components.deciding.bulk_jobs import show_job, show_jobs
from app.components.deciding.bulk_panel import count_undo, show_bulk, show_scopes
from app.components.deciding.keys import show_keys
from app.components.deciding.moving_on import NOTHING_LEFT, claim_next
from app.components.outcome import attempt, show_outcome
from app.components.queue_pick import Purpose
from app.components.queue_table import OPENED, drawn_rows, show_queue
from app.components.queue_view import SORTS, View, show_controls
from app.components.recall_note import show_recall_note
from app.components.saved_views import show_views
from app.pages_map import ALERT, page_file
from app.session import Desk, desk
from warehouse.alerts import queue_page
from warehouse.corpora import list_corpora

NOTHING = {
    "open": "Nothing is open: every alert is decided or waits for approval.",
    "mine": "You have claimed nothing. *Claim and open next* takes the most urgent open alert.",
    "waiting": "No quarantine waits for a second person.",
    "decided": "Nothing is decided yet.",
}


def main() -> None:
    """Read one page, draw it."""
    here = desk()
    if st.session_state.get(OPENED):
        st.switch_page(page_file(ALERT), query_params={"alert": st.session_state.pop(OPENED)})
    st.title("Queue")
    corpora = [corpus.name for corpus in list_corpora(here.warehouse, principal=here.principal)]
    view = show_controls(corpora, here.principal.identity)
    purpose = tools(here)
    show_outcome()
    page = queue_page(
        here.warehouse,
        principal=here.principal,
        filters=view.filters,
        sort=view.sort,
        descending=view.descending,
        limit=view.rows,
        offset=view.offset,
    )
    may = here.principal.at_least("reviewer")
    show_job(here, count_undo)
    if may:
        show_bulk(here, view, page.total)
    if page.total == 0:
        empty(here, view)
        return
    pages = math.ceil(page.total / view.rows)
    if page.rows:
        show_queue(page, may_act=may, purpose=purpose)
    else:
        st.info(f"Page {view.page} is past the end: {page.total:,} alerts match.", icon=":material/last_page:")
    with st.container(horizontal=True, vertical_alignment="center"):
        last = page.offset + len(page.rows)
        shown = f"{page.offset + 1:,} to {last:,}" if page.rows else "none"
        st.caption(f"n = {page.total:,} alerts · {shown} shown · by {SORTS[view.sort]}", width="content")
        url_state.pager(pages)
        if page.rows:
            csv_download(drawn_rows(page), "queue", key="queue_csv")
    show_recall_note(here)


def tools(here: Desk) -> Purpose:
    """The line of buttons over the table; returns what ticks in it mean."""
    purpose: Purpose = "select"
    with st.container(horizontal=True, vertical_alignment="center"):
        if here.principal.at_least("reviewer"):
            st.button("Claim and open next", key="next", type="primary", shortcut="n", icon=":material/back_hand:",
                      on_click=take_next, help="The first open alert of this view, in its order.")  # fmt: skip
            st.markdown("Act on many:", width="content")
            purpose = show_scopes()
        show_jobs(here)
        show_views(here)
        show_keys("queue")
    return purpose


def take_next() -> None:
    """Callback: claim the first open alert of the view and open it."""

    def work(here: Desk) -> str:
        found = claim_next(here)
        if found is None:
            return NOTHING_LEFT
        st.session_state[OPENED] = found
        return "Claimed for you."

    attempt(work)


def empty(here: Desk, view: View) -> None:
    """Nothing to show, and what to do about it."""
    if not view.plain:
        st.info("No alert matches these filters. Take one away to see more.", icon=":material/filter_alt_off:")
    elif view.tab != "all" and queue_page(here.warehouse, principal=here.principal, limit=1).total:
        st.info(NOTHING[view.tab], icon=":material/inbox:")
    else:
        st.info("No alerts yet. Scan a corpus or replay stored rankings: what they flag appears here.")
        st.code("ragsieve scan --corpus NAME\nragsieve replay CONTEXTS.jsonl --corpus NAME", language=None)


main()
