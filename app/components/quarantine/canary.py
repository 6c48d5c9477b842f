"""The canary replay of a version: counts, what is still present, and why something could not be replayed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from app.components.facts import moment
from app.components.labels import plain_label, safe_label
from app.components.once import draw_again
from app.components.outcome import attempt, plain_lines
from app.components.quarantine.words import METHODS, OUTCOMES
from app.components.table import number_column, show_table, text_column
from app.services.canary_watch import replay
from app.session import Desk
from warehouse.canary import canary_results, canary_runs

_MEANS = (
    "The stored queries that had reached the documents of this version are asked again with what gates read. "
    "Where the vectors and the retriever are at hand the corpus is searched anew, else the stored ranking is filtered."
)
MOST = 1_000


def latest_runs(here: Desk) -> dict[str, Mapping[str, Any]]:
    """Version id -> its latest run, counted over what the caller may see."""
    found: dict[str, Mapping[str, Any]] = {}
    for run in canary_runs(here.warehouse, principal=here.principal):
        found.setdefault(run["quarantine_id"], run)
    return found


def show_canary(here: Desk, row: Mapping[str, Any], run: Mapping[str, Any] | None) -> None:
    """Draw the latest replay, or that there is none and why."""
    st.subheader("Canary replay", help=_MEANS)
    if run is None:
        _none(here, row)
        return
    bad, asked = run["still_present"], run["queries"]
    if not asked:
        st.info("No stored query had reached the documents that it changed: there is nothing to replay.")
    elif bad:
        st.error(f"**Still present in {bad:,} results.** Look at them below.", icon=":material/warning:")
    elif run["unreplayed"] or run["not_restored"]:
        st.warning(_counts(run), icon=":material/help:")
    else:
        st.success(_counts(run), icon=":material/verified:")
    st.caption(f"{moment(run['acted_at'])} · publication {run['publication']} · by {safe_label(run['actor'])}")
    if asked:
        _results(here, run)
    if row["state"] == "in_force":
        _again(here, row)


def _counts(run: Mapping[str, Any]) -> str:
    told = [f"{words.capitalize()} {run[name]:,}" for name, words in OUTCOMES.items() if run[name]]
    return f"**{', '.join(told)}** results over n = {run['queries']:,} stored queries."


def _none(here: Desk, row: Mapping[str, Any]) -> None:
    if row["state"] != "in_force":
        waits = row["state"] == "proposed"
        st.caption("It runs by itself once this version is in force." if waits else "This version was never replayed.")
        return
    if here.canary.problem:
        st.warning("**The replay of this version failed;** it is tried again in a minute.", icon=":material/error:")
        st.text(plain_lines(here.canary.problem))
        _again(here, row)
        return
    _waiting(here, row["quarantine_id"])


@st.fragment(run_every=2)
def _waiting(here: Desk, quarantine_id: str) -> None:
    if here.canary.problem or canary_runs(here.warehouse, principal=here.principal, quarantine_id=quarantine_id):
        draw_again()
    st.info("The replay of this version is running.", icon=":material/progress_activity:")


def _again(here: Desk, row: Mapping[str, Any]) -> None:
    task = here.background.task("canary-again")
    running = task is not None and task.state == "running"
    st.button(
        "Replay it again",
        icon=":material/replay:",
        key="canary_again",
        disabled=running,
        on_click=_start,
        args=(row["quarantine_id"],),
    )
    if running:
        _watch(here)
    elif task is not None and task.state == "failed":
        st.text(plain_lines(task.problem))


@st.fragment(run_every=2)
def _watch(here: Desk) -> None:
    task = here.background.task("canary-again")
    if task is None or task.state != "running":
        draw_again()
    st.caption("The stored queries are being asked again.")


def _start(quarantine_id: str) -> None:
    def work(here: Desk) -> str:
        who = here.principal
        who.require("reviewer", "replay queries")
        begun = here.background.start("canary-again", partial(replay, here.warehouse, quarantine_id, who))
        return "The replay has started." if begun else "A replay is running already."

    attempt(work)


def _results(here: Desk, run: Mapping[str, Any]) -> None:
    found = canary_results(here.warehouse, run["run_id"], principal=here.principal)
    show_table(
        [
            {
                "outcome": OUTCOMES.get(one["outcome"], one["outcome"]),
                "document": plain_label(one["document_id"]),
                "query": plain_label(one["query_text"], 120) if one["query_text"] is not None else "(hash only)",
                "before": one["rank_before"],
                "now": one["rank_after"],
                "method": METHODS.get(one["method"], one["method"]),
                "why": plain_label(one["detail"], 200),
                "corpus": plain_label(one["corpus"]),
            }
            for one in found[:MOST]
        ],
        {
            "document": text_column("document", width=180),
            "query": text_column("query", width=320),
            "before": number_column("rank then", "Rank in the stored answer.", width=80),
            "now": number_column("rank now", "Rank with what is in force; empty: not there.", width=80),
            "method": text_column("how", width=160),
            "why": text_column("why so", "Why it was not searched again, or not replayed.", width=240),
        },
        name="canary",
        key="canary_csv",
        most=6,
    )
    if len(found) > MOST:
        st.caption(f"The first {MOST:,} of n = {len(found):,} results.")
