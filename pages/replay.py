"""Replay: what a query retrieved, what left and why, and what the answer got."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from app.components import url_state
from app.components.event_list import show_events
from app.components.evidence import shape
from app.components.evidence.alignment import show_alignment
from app.components.evidence.anchors import show_anchors
from app.components.evidence.ranking import show_ranking
from app.components.evidence.reading import candidate, decoded
from app.components.evidence.script import show_script
from app.components.evidence.surprisal import show_surprisal
from app.components.evidence.terms import show_terms
from app.components.facts import facts_html, heading_html, moment
from app.components.labels import plain_label
from app.components.replay.asking import open_answer, show_asking
from app.components.replay.comparison import show_comparison
from app.components.replay.side_by_side import show_side_by_side
from app.components.stages import show_stages
from app.components.states import show_answer_state
from app.pages_map import REPLAY, page_file
from app.session import Desk, desk
from ragsieve_core.document import document_text
from ragsieve_core.errors import InputError
from warehouse.corpora import list_corpora
from warehouse.events import EventDetail, get_event

VIEWS = {"events": "Stored queries", "ask": "New query", "compare": "Two versions"}
ONE = {"events": "As it was", "compare": "Two versions"}
VIEW: dict[str, Any] = {
    "key": "view",
    "on_change": url_state.keep,
    "args": ("view", "events", ("page", "rows")),
    "required": True,
}
TERMS = ("Ranking", "Answer anchors", "Script", "Surprisal", "Alignment")


def main() -> None:
    """What the address names: the events, a new question, two versions over all of them, or one event."""
    here = desk()
    open_answer(here)
    wanted = st.query_params.get("event", "")
    if not wanted:
        st.title("Replay")
        several(here)
        return
    compares = url_state.one_of("view", list(ONE), "events") == "compare"
    if compares:
        st.button("All queries under these versions", icon=":material/arrow_back:", type="tertiary", on_click=_back)
    else:
        st.page_link(page_file(REPLAY), label="All events", icon=":material/arrow_back:")
    try:
        found = get_event(here.warehouse, wanted, principal=here.principal)
    except InputError:
        st.title("No such event")
        st.warning("The address names an event that this warehouse does not have, or that is not yours to see.")
        return
    head(found)
    st.segmented_control("View", list(ONE), format_func=ONE.__getitem__, label_visibility="collapsed", **VIEW)
    if compares:
        show_side_by_side(here, found)
        return
    config = decoded(found.event["config"], {})
    n, k = shape.whole(config.get("n"), 20), shape.whole(config.get("k"), 5)
    show_stages(found.ranking, k)
    if not found.candidates:
        st.info("RSQ was not applied to this ranking, so there is no evidence to show.", icon=":material/info:")
        return
    evidence(found, n, k)


def several(here: Desk) -> None:
    """One of the three views of all queries."""
    view = url_state.one_of("view", list(VIEWS), "events")
    st.segmented_control("View", list(VIEWS), format_func=VIEWS.__getitem__, label_visibility="collapsed", **VIEW)
    corpora = [corpus.name for corpus in list_corpora(here.warehouse, principal=here.principal)]
    if view == "ask":
        show_asking(here, corpora)
    elif view == "compare":
        st.caption(
            "Every stored query played again under two versions, from its stored ranking: what the quarantine takes "
            "out, what RSQ takes, what the context becomes. Nothing is retrieved again and nothing is changed."
        )
        show_comparison(here, corpora)
    else:
        st.caption("Every stored query with its ranking as it was. Open one to see what left the context, and why.")
        show_events(here, corpora)


def _back() -> None:
    st.query_params.pop("event", None)


def head(found: EventDetail) -> None:
    """Query, state and the versions that were used."""
    event = found.event
    tail = candidate(found.candidates[0]).tail_ids if found.candidates else []
    query = event["query_text"] if event["query_text"] is not None else "(only the hash of this query is stored)"
    st.html(heading_html(f"{event['source']} · {event['state'].replace('_', ' ')} · {event['event_id']}", query))
    detail = decoded(event["state_detail"], {})
    show_answer_state(event["state"], detail, tail)
    latency = event["latency_ms"]
    st.html(
        facts_html(
            {
                "asked": moment(event["occurred_at"]),
                "corpus": event["corpus"],
                "snapshot": event["snapshot_id"],
                "quarantine version": event["quarantine_version"] or "none was in force",
                "rule of RSQ": f"{event['rule']}, flagged from {event['threshold']:g}",
                "condition": event["condition"],
                "index version": event["index_version"],
                "latency": None if latency is None else f"{latency:.0f} ms",
                "refill depth": event["refill_depth"],
            }
        )
    )


def evidence(found: EventDetail, n: int, k: int) -> None:
    """The terms of all candidates and what those of one are made of."""
    candidates = [candidate(row) for row in found.candidates]
    by_rank = {int(other.row["rank"]): other for other in candidates}
    first = max(by_rank, key=lambda rank: float(by_rank[rank].row["score"] or 0))
    chosen = url_state.one_of("candidate", list(by_rank), first)
    st.subheader("The scores")
    st.selectbox(
        "Candidate",
        list(by_rank),
        format_func=lambda rank: f"{rank} · {plain_label(by_rank[rank].row['document_id'], 60)}",
        key="candidate",
        on_change=url_state.keep,
        args=("candidate",),
        width=420,
    )
    subject = by_rank[int(chosen or first)]
    show_terms(subject, candidates, found.event["threshold"], n, k, key="replay")
    row = next((r for r in found.ranking if r["document_id"] == subject.row["document_id"]), None)
    text = document_text(row["text"] or "", row["title"] or "") if row and row["text"] is not None else ""
    tabs = st.tabs(TERMS, key="term", on_change="rerun", bind="query-params")
    shows = (
        partial(show_ranking, found.ranking, candidates, subject, n, k, key="ranking"),
        partial(show_anchors, subject, text, n, k, key="anchors"),
        partial(show_script, subject, text, key="script"),
        partial(show_surprisal, subject, text, key="surprisal"),
        partial(show_alignment, subject, text, key="alignment"),
    )
    for tab, show in zip(tabs, shows, strict=True):
        # Each draws a text of up to 20,000 characters: only the one that is looked at
        if tab.open:
            with tab:
                show()


main()
