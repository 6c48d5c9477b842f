"""Ingest & scans: take documents in, scan a corpus, see what runs and how it ended."""

from __future__ import annotations

import streamlit as st

from app.components.import_form import show_import
from app.components.job_list import show_jobs, show_running
from app.components.labels import apart, plain_label
from app.components.once import take
from app.components.scan_history import show_scans
from app.services.console_jobs import start
from app.session import Desk, desk
from ragsieve_core.errors import RagsieveError
from warehouse.corpora import list_corpora

RULES = ("calibrated", "paper")
TABS = ("Take documents in", "Scan", "Scans so far", "Jobs")


def main() -> None:
    """What runs, then the four things to do here."""
    here = desk()
    st.title("Ingest & scans")
    if word := take("ingest_word"):
        st.success(word, icon=":material/check:")
    if problem := take("ingest_problem"):
        st.error("Nothing was started.", icon=":material/error:")
        st.text(plain_label(problem, 500))
    show_running(here)
    names = [corpus.name for corpus in list_corpora(here.warehouse, principal=here.principal)]
    tabs = st.tabs(TABS, key="tab", on_change="rerun", bind="query-params")
    with tabs[0]:
        show_import(here, names)
    with tabs[1]:
        scan(here, names)
    with tabs[2]:
        show_scans(here, names)
    with tabs[3]:
        show_jobs(here)


def scan(here: Desk, names: list[str]) -> None:
    """Start a scan of the latest snapshot."""
    if not names:
        st.info("No corpus yet: take documents in first.", icon=":material/database:")
        return
    st.caption("RSG over the latest snapshot. Documents without vectors are encoded first; a scan stored once is kept.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Corpus", names, format_func=apart(names), key="scan_corpus", width=240)
        st.selectbox("Rule", RULES, key="scan_rule", width=160, help="`calibrated` is the console's own.")
        st.button(
            "Start the scan", icon=":material/radar:", type="primary", on_click=_scan, args=(here,), key="scan_go"
        )


def _scan(here: Desk) -> None:
    corpus, rule = st.session_state["scan_corpus"], st.session_state["scan_rule"]
    try:
        start(
            here.warehouse,
            "scan",
            ["--corpus", corpus, "--rule", rule],
            what=f"{corpus}, {rule}",
            principal=here.principal,
        )
    except RagsieveError as error:
        st.session_state["ingest_problem"] = str(error)


main()
