"""The stored retrieval events: filters in the address, one page of rows, a button per row that opens one by its id."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import streamlit as st

from app.components import url_state
from app.components.csv_export import csv_download
from app.components.definitions import definition
from app.components.facts import moment
from app.components.labels import apart, plain_label, spaced
from app.components.table import number_column, text_column
from app.session import Desk
from warehouse.events import list_events
from warehouse.records import Page

STATES: Final = ("ok", "tail_contaminated", "tail_too_short", "empty", "unscored", "error")
FLAGS: Final = {"yes": True, "no": False}
SIZES: Final = (25, 50, 100, 250)
SORTS: Final = {
    "occurred_at": "time asked",
    "latency_ms": "latency",
    "query_id": "query id",
    "condition": "condition",
    "state": "state",
}
# Another filter or order starts at its first page: the page of before may not exist there
_bound = partial(url_state.bound, forget=("page",))
_CLICK: Final = "event_click"
_SHOWN: Final = "events_shown"


def show_events(here: Desk, corpora: Sequence[str]) -> None:
    """Draw filters, the page of events and its pager."""
    page, size = _asked(here, corpora)
    if page.total == 0:
        st.info("No event matches. `ragsieve replay CONTEXTS.jsonl --corpus NAME` stores rankings of the past.")
        return
    rows = [_drawn(row) for row in page.rows]
    st.session_state[_SHOWN] = [row["event_id"] for row in page.rows]
    st.dataframe(
        [{"open": "Open"} | row for row in rows],
        hide_index=True,
        height="content" if len(rows) <= 14 else 500,
        placeholder="–",
        column_config={
            "open": st.column_config.ButtonColumn("", width=70, pinned=True, key=_CLICK, on_click=_open),
            "event_id": None,
            "query": text_column("query", "Null where the policy stores the hash alone.", width=330),
            "flagged": number_column("flagged", "Candidates at or over the threshold.", width=62),
            "candidates": number_column("of", "Candidates that were scored.", width=40),
            "top": number_column("highest", definition("score"), digits=2, width=66),
            "state": text_column("state", width=130),
            "latency": number_column("ms", "Time of the answer, milliseconds.", digits=0, width=60),
        },
    )
    pages = math.ceil(page.total / size)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"n = {page.total:,} events · {len(rows):,} shown", width="content")
        url_state.pager(pages)
        csv_download(rows, "events", key="events_csv")


def _asked(here: Desk, corpora: Sequence[str]) -> tuple[Page, int]:
    corpus, state = url_state.one_of("corpus", list(corpora)), url_state.one_of("state", STATES)
    flagged, document = url_state.one_of("flagged", list(FLAGS)), url_state.line("document").strip()
    sort, size = url_state.one_of("sort", list(SORTS), "occurred_at"), url_state.one_of("rows", SIZES, 50) or 50
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Corpus", list(corpora), None, apart(corpora), placeholder="Any", width=150, **_bound("corpus"))
        st.selectbox("State", STATES, None, spaced, placeholder="Any", width=170, **_bound("state"))
        st.selectbox("Flagged", list(FLAGS), None, placeholder="Any", width=110, **_bound("flagged"))
        st.text_input("Ranked document, whole id", placeholder="Any", width=210, **_bound("document"))
        st.selectbox("Sort by", list(SORTS), format_func=SORTS.__getitem__, width=140, **_bound("sort", "occurred_at"))
        st.selectbox("Rows", SIZES, width=82, **_bound("rows", 50))
    page = list_events(
        here.warehouse,
        principal=here.principal,
        corpus=corpus or "",
        state=state or "",
        document_id=document,
        flagged=FLAGS.get(flagged or ""),
        sort=sort or "occurred_at",
        limit=size,
        offset=(url_state.whole("page", 1, 10**6, 1) - 1) * size,
    )
    return page, size


def _open() -> None:
    click, shown = st.session_state.get(_CLICK), st.session_state.get(_SHOWN, [])
    if click is not None and 0 <= click["row"] < len(shown):
        st.query_params["event"] = shown[click["row"]]


def _drawn(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "event_id": row["event_id"],
        "query": plain_label(row["query_text"], 120) if row["query_text"] is not None else "(hash only)",
        "flagged": row["flagged"],
        "candidates": row["candidates"],
        "top": row["top_score"],
        "state": spaced(row["state"]),
        "source": row["source"],
        "condition": plain_label(row["condition"], 30),
        "corpus": plain_label(row["corpus"]),
        "asked": moment(row["occurred_at"]),
        "latency": row["latency_ms"],
    }
