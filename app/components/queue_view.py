"""What the queue shows: filters, order and page, all of it in the address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from app.components import url_state
from app.components.labels import plain_label
from warehouse.alerts import QueueFilter

STATUSES: Final = ("open", "claimed", "waiting", "decided", "in_force", "closed")
DETECTORS: Final = ("rsq", "rsg", "copies")
KINDS: Final = ("isolation", "integrity", "copies")
SORTS: Final = {
    "severity": "severity",
    "score": "score",
    "opened_at": "time opened",
    "in_context": "answers reached",
    "retrieved": "retrievals",
    "campaign_size": "campaign size",
    "document_id": "document",
    "source_uri": "source",
    "contributor": "contributor",
    "status": "status",
}
ORDERS: Final = {"desc": "high first", "asc": "low first"}
SIZES: Final = (25, 50, 100, 250)
_LAST: Final = "queue_query"


@dataclass(frozen=True, slots=True)
class View:
    """One view of the queue; ``page`` counts from 1."""

    filters: QueueFilter
    sort: str
    descending: bool
    rows: int
    page: int

    @property
    def offset(self) -> int:
        """Rows before this page."""
        return (self.page - 1) * self.rows


def show_controls(corpora: Sequence[str]) -> View:
    """Draw the controls and return what the address says."""
    filters = QueueFilter(
        statuses=tuple(url_state.some_of("status", STATUSES)),
        detectors=tuple(url_state.some_of("detector", DETECTORS)),
        kinds=tuple(url_state.some_of("kind", KINDS)),
        corpus=url_state.one_of("corpus", corpora) or "",
        search=url_state.line("search").strip(),
    )
    sort = url_state.one_of("sort", list(SORTS), "severity") or "severity"
    order = url_state.one_of("order", list(ORDERS), "desc")
    rows = url_state.one_of("rows", SIZES, 50) or 50
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.multiselect("Status", STATUSES, format_func=_spaced, width=148, placeholder="Any", **_bound("status"))
        st.multiselect("Detector", DETECTORS, format_func=str.upper, width=128, placeholder="Any", **_bound("detector"))
        st.multiselect("Kind", KINDS, width=128, placeholder="Any", **_bound("kind"))
        names = list(corpora)
        st.selectbox("Corpus", names, None, plain_label, width=138, placeholder="Any", **_bound("corpus"))
        st.text_input("Document id contains", width=165, max_chars=200, placeholder="Any", **_bound("search"))
        st.selectbox("Sort by", list(SORTS), format_func=SORTS.__getitem__, width=138, **_bound("sort", "severity"))
        st.selectbox("Order", list(ORDERS), format_func=ORDERS.__getitem__, width=118, **_bound("order", "desc"))
        st.selectbox("Rows", SIZES, width=82, **_bound("rows", 50))
    st.session_state[_LAST] = st.query_params.to_dict()
    return View(filters, sort, order != "asc", rows, url_state.whole("page", 1, 10**6, 1))


def show_pager(pages: int) -> None:
    """Draw the pager below the table."""
    url_state.whole("page", 1, pages, 1)
    st.pagination(pages, key="page", on_change=url_state.keep, args=("page", 1))


def last_query() -> dict[str, Any]:
    """Query of the queue as this session saw it last, for the way back."""
    return dict(st.session_state.get(_LAST, {}))


def _bound(key: str, default: Any = None) -> dict[str, Any]:
    # Another filter or order starts at its first page: the page of before may not exist there
    return {"key": key, "on_change": url_state.keep, "args": (key, default, ("page",))}


def _spaced(name: str) -> str:
    return name.replace("_", " ")
