"""The evidence of an alert at query time: the score, its four terms, and the ranking it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import streamlit as st

from app.components import url_state
from app.components.evidence import shape
from app.components.evidence.alignment import show_alignment
from app.components.evidence.anchors import show_anchors
from app.components.evidence.ranking import show_ranking
from app.components.evidence.reading import candidate, decoded
from app.components.evidence.script import show_script
from app.components.evidence.surprisal import show_surprisal
from app.components.evidence.terms import show_terms
from app.components.labels import apart, plain_label
from app.components.states import show_answer_state, show_own_states
from app.pages_map import REPLAY, page_file
from app.session import Desk
from warehouse.alerts import AlertDetail
from warehouse.events import get_event

TERMS: Final = ("Answer anchors", "Script", "Surprisal", "Alignment", "Ranking")


def show_rsq(here: Desk, found: AlertDetail, text: str) -> str:
    """The four terms and what each is made of, for one of the events that scored the document; returns that event."""
    if not found.evidence:
        st.info("The retrieval events behind this alert are not visible to you.", icon=":material/visibility_off:")
        return ""
    events = {row["event_id"]: row for row in found.evidence}
    chosen = url_state.one_of("event", list(events), found.evidence[0]["event_id"])
    st.selectbox(
        "Query",
        list(events),
        format_func=apart(events, lambda name: _named(events[name])),
        key="event",
        on_change=url_state.keep,
        args=("event",),
        help="A text can be flagged for several queries; each has its own evidence. The highest score, that of the "
        "alert, stands first.",
    )
    row = events[str(chosen)]
    config = decoded(row["config"], {})
    n, k = shape.whole(config.get("n"), 20), shape.whole(config.get("k"), 5)
    detail = get_event(here.warehouse, row["event_id"], principal=here.principal)
    subject, candidates = candidate(row), [candidate(other) for other in detail.candidates]
    replay = {"event": row["event_id"]}
    st.page_link(page_file(REPLAY), label="Replay of this query", icon=":material/replay:", query_params=replay)
    show_answer_state(detail.event["state"], decoded(detail.event["state_detail"], {}), subject.tail_ids)
    show_own_states(subject)
    st.subheader("The score")
    show_terms(subject, candidates, row["threshold"], n, k, key="rsq")
    st.subheader("What each term is made of")
    tabs = st.tabs(TERMS, key="term", on_change="rerun", bind="query-params")
    shows = (
        partial(show_anchors, subject, text, n, k, key="anchors"),
        partial(show_script, subject, text, key="script"),
        partial(show_surprisal, subject, text, key="surprisal"),
        partial(show_alignment, subject, text, key="alignment"),
        partial(show_ranking, detail.ranking, candidates, subject, n, k, key="ranking"),
    )
    for tab, show in zip(tabs, shows, strict=True):
        # Each draws a text of up to 20,000 characters: only the one that is looked at
        if tab.open:
            with tab:
                show()
    return str(chosen)


def _named(row: Mapping[str, Any]) -> str:
    score = "" if row["score"] is None else f" · score {row['score']:.2f}"
    return f"{plain_label(row['query_text'], 110)} · rank {row['rank']}{score}"
