"""Blind review: one text at a time without score or flag, and what the answers say about the desk."""

from __future__ import annotations

import time
from typing import Final

import streamlit as st

from app.components import url_state
from app.components.blind_draws import show_draws
from app.components.blind_quality import show_quality
from app.components.deciding.keys import show_keys
from app.components.facts import facts_html, moment
from app.components.labels import apart
from app.components.outcome import attempt, show_outcome
from app.components.untrusted_text import show_text
from app.session import Desk, desk
from ragsieve_core.errors import RagsieveError
from warehouse.corpora import list_corpora
from warehouse.sampling import BlindItem, answer_blind, next_blind

TABS = ("Next item", "How good is the review")
_SINCE: Final = "blind_since"


def main() -> None:
    """The lane and the figures."""
    here = desk()
    st.title("Blind review")
    st.caption(
        "Random texts that were not flagged, known items and second looks, mixed: you see the text and where it comes "
        "from, never a score. Answer what you see; that is what makes recall and agreement measurable."
    )
    show_outcome()
    names = [corpus.name for corpus in list_corpora(here.warehouse, principal=here.principal)]
    corpus = url_state.one_of("corpus", names) or ""
    if len(names) > 1:
        st.selectbox(
            "Corpus",
            names,
            None,
            apart(names),
            placeholder="Any",
            width=220,
            key="corpus",
            on_change=url_state.keep,
            args=("corpus",),
        )
    tabs = st.tabs(TABS, key="tab", on_change="rerun", bind="query-params")
    with tabs[0]:
        lane(here, corpus)
    with tabs[1]:
        show_quality(here, names, corpus)
        show_draws(here, names)


def lane(here: Desk, corpus: str) -> None:
    """The next item of this reviewer."""
    try:
        item = next_blind(here.warehouse, principal=here.principal, corpus=corpus)
    except RagsieveError:
        st.info("Answering needs the role reviewer.", icon=":material/lock:")
        return
    if item is None:
        st.info(
            "Nothing waits for you. An approver draws items on the tab How good is the review.",
            icon=":material/done_all:",
        )
        return
    show_item(item)


def show_item(item: BlindItem) -> None:
    """The text, where it comes from, and three answers."""
    since: dict[str, float] = st.session_state.setdefault(_SINCE, {})
    since.setdefault(item.sample_id, time.monotonic())
    facts = {
        "Title": item.title,
        "Document": item.document_id,
        "Corpus": item.corpus,
        "Source": item.source_uri,
        "Contributor": item.contributor,
        "Taken in": moment(item.ingested_at),
        "Query that ranked it": item.query_text,
    }
    st.html(facts_html(facts))
    show_text(item.text)
    st.markdown("**Does this text look placed to be retrieved?** Not: is it true.")
    st.text_input("Note", key="blind_note", max_chars=500, width=420)
    with st.container(horizontal=True):
        _answer("Looks placed", ":material/flag:", True, item, "y")
        _answer("Does not", ":material/check:", False, item, "n")
        _answer("Cannot tell", ":material/help:", None, item, "u")
        show_keys("blind")


def _answer(label: str, icon: str, promoted: bool | None, item: BlindItem, key: str) -> None:
    given = (item.sample_id, promoted)
    st.button(label, icon=icon, key=f"blind_{key}", shortcut=key, on_click=_store, args=given)


def _store(sample_id: str, promoted: bool | None) -> None:
    def work(here: Desk) -> str:
        begun = st.session_state.get(_SINCE, {}).pop(sample_id, None)
        seconds = time.monotonic() - begun if begun is not None else 0.0
        note = st.session_state.get("blind_note", "")
        answer_blind(here.warehouse, sample_id, promoted, principal=here.principal, seconds=seconds, note=note)
        st.session_state["blind_note"] = ""
        return "Stored. The next item stands below."

    attempt(work)


main()
