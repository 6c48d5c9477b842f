"""What the queue shows: tab, filters, order and page, all of it in the address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import streamlit as st

from app.components import url_state
from app.components.deciding import words
from app.components.labels import apart
from ragsieve_core.review.workflow import STATUSES as KNOWN_STATUSES
from ragsieve_core.review.workflow import VERDICTS
from warehouse.alerts import QueueFilter

TABS: Final = {
    "open": "Open",
    "mine": "Mine",
    "waiting": "Waiting for approval",
    "decided": "Decided",
    "all": "All",
}
OF_TAB: Final[dict[str, tuple[str, ...]]] = {
    "open": ("open", "claimed"),
    "mine": ("claimed",),
    "waiting": ("waiting",),
    "decided": ("decided", "in_force", "closed"),
    "all": KNOWN_STATUSES,
}
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
    "tenant": "tenant",
    "status": "status",
    "holder": "holder",
    "state_at": "last decision",
}
ORDERS: Final = {"desc": "high first", "asc": "low first"}
SIZES: Final = (25, 50, 100, 250)
LINES: Final = ("campaign", "source", "contributor")
KEPT: Final = (
    "tab", "status", "detector", "kind", "verdict", "corpus", "search", *LINES, "sort", "order", "rows",
)  # fmt: skip
"""Parameters of the address that make up a saved view."""
# Another filter or order starts at its first page: the page of before may not exist there
_bound = partial(url_state.bound, forget=("page",))
_LAST: Final = "queue_query"
_VIEW: Final = "queue_view"


@dataclass(frozen=True, slots=True)
class View:
    """One view of the queue; ``page`` counts from 1."""

    filters: QueueFilter
    sort: str
    descending: bool
    rows: int
    page: int
    tab: str = "open"

    @property
    def offset(self) -> int:
        """Rows before this page."""
        return (self.page - 1) * self.rows

    @property
    def plain(self) -> bool:
        """True where nothing but the tab narrows it."""
        return self.filters == QueueFilter(statuses=self.filters.statuses, holder=self.filters.holder)


def show_controls(corpora: Sequence[str], me: str) -> View:
    """Draw the controls and return what the address says. ``me`` holds what stands under *Mine*."""
    # A link that names statuses was made to show them, whatever tab they stand under
    first = "all" if st.query_params.get_all("status") else "open"
    tab = url_state.one_of("tab", list(TABS), first) or first
    st.segmented_control(
        "Which alerts", list(TABS), format_func=TABS.__getitem__, required=True, label_visibility="collapsed",
        **_bound("tab", forget=("page", "status")),
    )  # fmt: skip
    offered = OF_TAB[tab]
    asked = url_state.some_of("status", offered)
    sort = url_state.one_of("sort", list(SORTS), "severity") or "severity"
    order = url_state.one_of("order", list(ORDERS), "desc")
    rows = url_state.one_of("rows", SIZES, 50) or 50
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # Two groups: where the window is too narrow for both, the order goes to a line of its own whole
        with st.container(horizontal=True, vertical_alignment="bottom", width="content"):
            if len(offered) > 1:
                st.multiselect(
                    "Status", offered, format_func=words.status, width=136, placeholder="Any", **_bound("status")
                )
            filters = _filters(corpora, tuple(asked) or (() if tab == "all" else offered), me if tab == "mine" else "")
        with st.container(horizontal=True, vertical_alignment="bottom", width="content"):
            st.selectbox("Sort by", list(SORTS), format_func=SORTS.__getitem__, width=136, **_bound("sort", "severity"))
            st.selectbox("Order", list(ORDERS), format_func=ORDERS.__getitem__, width=116, **_bound("order", "desc"))
            st.selectbox("Rows", SIZES, width=80, **_bound("rows", 50))
    view = View(filters, sort, order != "asc", rows, url_state.whole("page", 1, 10**6, 1), tab)
    st.session_state[_LAST] = {
        name: st.query_params.get_all(name) for name in (*KEPT, "page") if name in st.query_params
    }
    st.session_state[_VIEW] = view
    return view


def _filters(corpora: Sequence[str], statuses: tuple[str, ...], holder: str) -> QueueFilter:
    detectors, kinds = url_state.some_of("detector", DETECTORS), url_state.some_of("kind", KINDS)
    verdicts = url_state.some_of("verdict", VERDICTS)
    corpus, search = url_state.one_of("corpus", list(corpora)) or "", url_state.line("search").strip()
    texts = {name: url_state.line(name, 2_000).strip() for name in LINES}
    st.multiselect("Detector", DETECTORS, format_func=str.upper, width=128, placeholder="Any", **_bound("detector"))
    st.text_input("Document id contains", width=160, max_chars=200, placeholder="Any", **_bound("search"))
    more = sum(map(bool, (corpus, kinds, verdicts, *texts.values())))
    with st.popover(f"More filters ({more})" if more else "More filters", icon=":material/filter_alt:"):
        st.selectbox("Corpus", list(corpora), None, apart(corpora), placeholder="Any", **_bound("corpus"))
        st.multiselect("Kind", KINDS, placeholder="Any", **_bound("kind"))
        st.multiselect(
            "Verdict", VERDICTS, format_func=words.VERDICTS.__getitem__, placeholder="Any", **_bound("verdict")
        )
        st.text_input("Campaign", placeholder="Any", help="Whole id; an alert of it leads here.", **_bound("campaign"))
        st.text_input("Source", placeholder="Any", help="The whole address, exactly.", **_bound("source"))
        st.text_input("Contributor", placeholder="Any", help="The whole name, exactly.", **_bound("contributor"))
    return QueueFilter(
        statuses=statuses,
        holder=holder,
        detectors=tuple(detectors),
        kinds=tuple(kinds),
        verdicts=tuple(verdicts),
        corpus=corpus,
        search=search,
        campaign=texts["campaign"],
        source_uri=texts["source"],
        contributor=texts["contributor"],
    )


def last_query() -> dict[str, Any]:
    """Query of the queue as this session saw it last, for the way back."""
    return dict(st.session_state.get(_LAST, {}))


def last_view() -> View:
    """The queue as this session saw it last; the plain one where it was never opened."""
    plain = View(QueueFilter(statuses=OF_TAB["open"]), "severity", True, 50, 1)
    found = st.session_state.get(_VIEW, plain)
    return found if isinstance(found, View) else plain
