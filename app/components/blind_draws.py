"""Drawing units into the blind queue: at random, with the probability stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from app.components.labels import apart
from app.components.outcome import attempt
from app.session import Desk
from warehouse.quality import record_review_labels
from warehouse.sampling import draw_second_looks, draw_unflagged

KINDS: Final = {
    "document": "documents that were not flagged",
    "candidate": "candidates of queries that were not flagged",
    "second": "decided alerts, for a second look",
}


def show_draws(here: Desk, names: Sequence[str]) -> None:
    """The form; for approvers."""
    st.subheader("Draw items")
    if not here.principal.at_least("approver"):
        st.caption("Drawing needs the role approver.")
        return
    if not names:
        st.caption("No corpus yet.")
        return
    st.caption(
        "Items are drawn at random and enter the lane without score, flag or kind, in another order for everybody."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Of corpus", names, format_func=apart(names), key="draw_corpus", width=200)
        st.selectbox("Draw", list(KINDS), format_func=KINDS.__getitem__, key="draw_kind", width=300)
        st.number_input("Share, %", 0.0, 100.0, 2.0, 1.0, key="draw_rate", format="%g", width=120)
        st.number_input(
            "At least",
            0,
            10_000,
            20,
            10,
            key="draw_least",
            width=120,
            help="Of each of two strata; not for second looks.",
        )
        st.button("Draw", icon=":material/casino:", key="draw_go", on_click=_draw)
    st.button(
        "Store answers and verdicts as labels",
        icon=":material/label:",
        key="labels_go",
        on_click=_labels,
        help="With provenance and sampling probability. A held-out split never takes them.",
    )


def _draw() -> None:
    def work(here: Desk) -> str:
        corpus, kind = st.session_state["draw_corpus"], st.session_state["draw_kind"]
        rate = float(st.session_state["draw_rate"]) / 100
        given: dict[str, Any] = {"principal": here.principal, "rate": rate}
        if kind == "second":
            made = draw_second_looks(here.warehouse, corpus, **given)
        else:
            made = draw_unflagged(here.warehouse, corpus, unit=kind, least=st.session_state["draw_least"], **given)
        return f"{sum(made.drawn.values()):,} of n = {sum(made.population.values()):,} drawn into the lane."

    attempt(work)


def _labels() -> None:
    def work(here: Desk) -> str:
        return f"{record_review_labels(here.warehouse, principal=here.principal):,} new labels."

    attempt(work)
