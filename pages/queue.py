"""The queue: which documents look promoted, most urgent first. Filtered, sorted and cut in DuckDB."""

from __future__ import annotations

import math

import streamlit as st

from app.components.csv_export import csv_download
from app.components.queue_table import OPENED, drawn_rows, show_queue
from app.components.queue_view import SORTS, View, show_controls, show_pager
from app.components.recall_note import show_recall_note
from app.pages_map import ALERT, page_file
from app.session import desk
from warehouse.alerts import QueueFilter, queue_page
from warehouse.corpora import list_corpora


def main() -> None:
    """Read one page, draw it."""
    here = desk()
    if st.session_state.get(OPENED):
        st.switch_page(page_file(ALERT), query_params={"alert": st.session_state.pop(OPENED)})
    st.title("Queue")
    view = show_controls([corpus.name for corpus in list_corpora(here.warehouse, principal=here.principal)])
    page = queue_page(
        here.warehouse,
        principal=here.principal,
        filters=view.filters,
        sort=view.sort,
        descending=view.descending,
        limit=view.rows,
        offset=view.offset,
    )
    if page.total == 0:
        empty(view)
        return
    pages = math.ceil(page.total / view.rows)
    if page.rows:
        show_queue(page)
    else:
        st.info(f"Page {view.page} is past the end: {page.total:,} alerts match.", icon=":material/last_page:")
    with st.container(horizontal=True, vertical_alignment="center"):
        last = page.offset + len(page.rows)
        shown = f"{page.offset + 1:,} to {last:,}" if page.rows else "none"
        st.caption(f"n = {page.total:,} alerts · {shown} shown · by {SORTS[view.sort]}", width="content")
        if pages > 1:
            show_pager(pages)
        if page.rows:
            csv_download(drawn_rows(page), "queue", key="queue_csv")
    show_recall_note(here)


def empty(view: View) -> None:
    """Nothing to show, and what to do about it."""
    if view.filters == QueueFilter():
        st.info("No alerts yet. Scan a corpus or replay stored rankings: what they flag appears here.")
        st.code("ragsieve scan --corpus NAME\nragsieve replay CONTEXTS.jsonl --corpus NAME", language=None)
    else:
        st.info("No alert matches these filters. Take one away to see more.", icon=":material/filter_alt_off:")


main()
