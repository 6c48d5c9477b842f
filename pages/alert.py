"""One alert: why it was flagged, what that means, where the document comes from and what it reached."""

from __future__ import annotations

import streamlit as st

from app.components import url_state
from app.components.alert_header import show_header
from app.components.evidence.alignment import show_alignment
from app.components.evidence.anchors import show_anchors
from app.components.evidence.density import show_density
from app.components.evidence.provenance import show_history, show_provenance, show_reach, show_versions
from app.components.evidence.ranking import show_ranking
from app.components.evidence.reading import candidate, decoded
from app.components.evidence.script import runs_of, script_highlights, show_script
from app.components.evidence.surprisal import show_surprisal
from app.components.evidence.terms import show_terms
from app.components.labels import plain_label
from app.components.queue_view import last_query
from app.components.states import show_answer_state, show_own_states, show_scan_state
from app.components.untrusted_text import show_text
from app.pages_map import NEIGHBOURHOOD, QUEUE, REPLAY, page_file
from app.session import Desk, desk
from ragsieve_core.document import document_text
from ragsieve_core.errors import InputError
from warehouse.alerts import AlertDetail, alert_detail
from warehouse.events import get_event

TERMS = ("Answer anchors", "Script", "Surprisal", "Alignment", "Ranking")


def main() -> None:
    """Draw the alert that the address names."""
    st.page_link(page_file(QUEUE), label="Queue", icon=":material/arrow_back:", query_params=last_query())
    wanted = st.query_params.get("alert", "")
    if not wanted:
        st.title("Alert")
        st.info("Choose an alert in the queue: this page shows its evidence.", icon=":material/inbox:")
        return
    here = desk()
    try:
        found = alert_detail(here.warehouse, wanted, principal=here.principal)
    except InputError:
        st.title("No such alert")
        st.warning("The address names an alert that this warehouse does not have, or that is not yours to see.")
        st.code(plain_label(wanted, 200), language=None)
        return
    show_header(found.alert, found.document)
    text = document_text(found.document.get("text", ""), found.document.get("title", ""))
    if found.alert["detector"] == "rsq":
        rsq(here, found, text)
    else:
        rsg(found, text)
    st.subheader("Provenance")
    show_provenance(found.document)
    st.subheader("Reach")
    show_reach(found.reach_totals, found.reach, key="reach")
    st.subheader("Versions")
    show_versions(found.versions, found.alert["version_id"], key="versions")
    st.subheader("History")
    show_history(found.history, key="history")


def rsq(here: Desk, found: AlertDetail, text: str) -> None:
    """The four terms and what each is made of, for one of the events that scored the document."""
    if not found.evidence:
        st.info("The retrieval events behind this alert are not visible to you.", icon=":material/visibility_off:")
        return
    events = {row["event_id"]: row for row in found.evidence}
    chosen = url_state.one_of("event", list(events), found.evidence[0]["event_id"])
    st.selectbox(
        "Query",
        list(events),
        format_func=lambda name: f"{plain_label(events[name]['query_text'], 110)} · rank {events[name]['rank']}",
        key="event",
        on_change=url_state.keep,
        args=("event",),
        help="A text can be flagged for several queries; each has its own evidence.",
    )
    row = events[str(chosen)]
    config = decoded(row["config"], {})
    n, k = int(config.get("n", 20)), int(config.get("k", 5))
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
    with tabs[0]:
        show_anchors(subject, text, n, k, key="anchors")
    with tabs[1]:
        show_script(subject, text, key="script")
    with tabs[2]:
        show_surprisal(subject, text, key="surprisal")
    with tabs[3]:
        show_alignment(subject, text, key="alignment")
    with tabs[4]:
        show_ranking(detail.ranking, candidates, subject, n, k, key="ranking")


def rsg(found: AlertDetail, text: str) -> None:
    """Density against the floor, the neighbours, and the text."""
    st.subheader("Density against the floor")
    query = {"alert": found.alert["alert_id"]}
    st.page_link(page_file(NEIGHBOURHOOD), label="Neighbourhood", icon=":material/hub:", query_params=query)
    if found.scores:
        show_scan_state(found.scores[0]["state"])
        show_density(found.scores[0], found.neighbors, key="rsg")
    else:
        st.info("The scan behind this alert is not visible to you.", icon=":material/visibility_off:")
    st.subheader("Text")
    show_text(text, script_highlights(runs_of(text)))
    st.caption("Marked with its name: every run of letters outside the text's main script.")


main()
