"""The evidence of an alert of the corpus: density against the floor, neighbours, and the text."""

from __future__ import annotations

import streamlit as st

from app.components.evidence.density import show_density
from app.components.evidence.script import runs_of, script_highlights
from app.components.states import show_scan_state
from app.components.untrusted_text import show_text
from app.pages_map import NEIGHBOURHOOD, page_file
from warehouse.alerts import AlertDetail


def show_rsg(found: AlertDetail, text: str) -> None:
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
