"""A new question: what to ask of which corpus, asked beside the page, opened by the id of its event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

import streamlit as st

from app.components import url_state
from app.components.facts import moment
from app.components.labels import apart
from app.components.once import draw_again
from app.components.outcome import attempt, show_outcome
from app.components.replay.working import is_running, show_work
from app.pages_map import REPLAY, page_file
from app.services.owner_access import OwnerAccess
from app.services.questions import LONGEST, Question, answer
from app.session import Desk
from ragsieve_core.errors import BusyError
from ragsieve_core.models.profiles import DEFAULT_PROFILE, PROFILES
from ragsieve_core.rsq.presets import RSQ_PRESETS
from warehouse.principal import Principal
from warehouse.snapshots import list_snapshots

_TEXT: Final = "ask_text"
_WAITS: Final = "ask_waits"
_LATEST: Final = "latest"


def task_name(principal: Principal) -> str:
    """Name of a person's question: one at a time each."""
    return f"ask:{principal.identity}"


def open_answer(here: Desk) -> None:
    """Go to the event of the question that this session waits for, once it is answered."""
    waits: datetime | None = st.session_state.get(_WAITS)
    task = here.background.task(task_name(here.principal))
    if waits is None or task is None or task.state == "running":
        return
    del st.session_state[_WAITS]
    if task.state == "done" and task.started_at >= waits:
        here.background.forget(task_name(here.principal))
        st.session_state[_TEXT] = ""
        st.query_params.from_dict({"event": str(task.result)})
        draw_again()


def show_asking(here: Desk, corpora: Sequence[str]) -> None:
    """Draw the form, what runs, and what came of a question whose page is gone."""
    if not here.principal.at_least("reviewer"):
        st.info("Asking stores an event and may open alerts: it needs the role reviewer.", icon=":material/lock:")
        return
    if not corpora:
        st.info("No corpus yet: take documents in first.", icon=":material/database:")
        st.code("ragsieve ingest --corpus NAME DOCUMENTS.jsonl", language=None)
        return
    st.caption(
        "Retrieves from the corpus, drops what is quarantined or held now, scores by RSQ and refills, as "
        "`ragsieve query` does. The answer is stored as an event, and what it flags opens an alert."
    )
    name = task_name(here.principal)
    running = is_running(here, name)
    corpus = _form(here, corpora)
    st.button(
        "Ask",
        key="ask_go",
        type="primary",
        icon=":material/search:",
        on_click=_ask,
        args=(corpus,),
        disabled=running,
    )
    show_outcome()
    show_work(here, name, "asked", running=running)
    if not running:
        _answered(here, name)


def _form(here: Desk, corpora: Sequence[str]) -> str:
    st.text_area(
        "Question",
        key=_TEXT,
        max_chars=LONGEST,
        height=90,
        persist_state="session",
        placeholder="What a person would ask, in any language",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        corpus = url_state.one_of("corpus", list(corpora), corpora[0]) or corpora[0]
        st.selectbox(
            "Corpus", list(corpora), format_func=apart(corpora), key="corpus", width=220, on_change=url_state.keep,
            args=("corpus", corpora[0], ("snapshot",)),
        )  # fmt: skip
        held = list_snapshots(here.warehouse, corpus, principal=here.principal)
        whole = here.principal.tenants is None
        times = {
            one.snapshot_id: moment(one.created_at) + (f" · {one.documents:,} documents" if whole else "")
            for one in held
        }
        asof = [_LATEST, *times]
        url_state.one_of("snapshot", asof, _LATEST)
        st.selectbox(
            "As of snapshot", asof, format_func=apart(asof, lambda one: times.get(one, "the latest")), key="snapshot",
            width=290, on_change=url_state.keep, args=("snapshot", _LATEST),
            help="Documents as they were then. What is quarantined or held now stays out all the same: to see the "
            "question under another quarantine, ask it and open *Two versions* of its event.",
        )  # fmt: skip
        rules = sorted(RSQ_PRESETS)
        url_state.one_of("rule", rules, "calibrated")
        st.selectbox("Rule", rules, key="rule", width=150, on_change=url_state.keep, args=("rule", "calibrated"))
        url_state.one_of("models", list(PROFILES), DEFAULT_PROFILE)
        st.selectbox(
            "Models", list(PROFILES), key="models", width=170, on_change=url_state.keep,
            args=("models", DEFAULT_PROFILE),
            help="The corpus must hold vectors of this profile's retriever, or get them now. *Settings* says which "
            "models are on this machine.",
        )  # fmt: skip
        tenants = sorted(here.principal.tenants or ())
        if len(tenants) > 1:
            st.selectbox("Tenant", tenants, format_func=apart(tenants), key="ask_tenant", width=160)
    return corpus


def _ask(corpus: str) -> None:
    def work(here: Desk) -> str:
        who = here.principal
        who.require_person("reviewer", "ask a question")
        snapshot, tenants = st.session_state["snapshot"], sorted(who.tenants or ("default",))
        chosen = st.session_state.get("ask_tenant")
        question = Question(
            corpus,
            st.session_state.get(_TEXT, ""),
            rule=st.session_state["rule"],
            profile=st.session_state["models"],
            snapshot=None if snapshot == _LATEST else snapshot,
            tenant=chosen if chosen in tenants else tenants[0],
        )
        name = task_name(who)
        if not here.background.start_long(name, partial(answer, OwnerAccess(here.warehouse, who), question)):
            raise BusyError("a question of yours is being answered", do="wait for it, or cancel it")
        task = here.background.task(name)
        st.session_state[_WAITS] = task.started_at if task else None
        return "Asked. The answer opens here."

    attempt(work)


def _answered(here: Desk, name: str) -> None:
    """A question that was answered while nobody waited: a link, never a jump."""
    task = here.background.task(name)
    if task is not None and task.state == "done":
        st.success("Your last question is answered.", icon=":material/check:")
        query = {"event": str(task.result)}
        st.page_link(page_file(REPLAY), label="Open it", icon=":material/open_in_new:", query_params=query)
