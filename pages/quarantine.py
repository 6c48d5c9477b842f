"""Quarantine versions: what leaves every answer, since when, by whom, and whether it worked."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.components import url_state
from app.components.outcome import show_outcome
from app.components.quarantine.canary import latest_runs
from app.components.quarantine.index_side import show_index
from app.components.quarantine.propose import show_holds, show_propose
from app.components.quarantine.released import show_released
from app.components.quarantine.timeline import show_timeline
from app.components.quarantine.version import show_version
from app.components.quarantine.words import version_name
from app.session import Desk, desk
from warehouse.quarantine_versions import timeline

TABS = ("Versions", "Propose", "Holds", "Released", "Index")


def main() -> None:
    """What came of the last act, then five things to look at."""
    here = desk()
    st.title("Quarantine")
    st.caption(
        "A version is a fixed set of documents that leave every answer. Nothing is deleted; every change, a roll-back "
        "too, is a new version that somebody proposed and somebody approved."
        + (
            " You work alone here: you may approve your own proposals, and that is recorded."
            if here.single_user
            else ""
        )
    )
    show_outcome()
    tabs = st.tabs(TABS, key="tab", on_change="rerun", bind="query-params")
    with tabs[0]:
        versions(here)
    with tabs[1]:
        show_propose(here)
    with tabs[2]:
        show_holds(here)
    with tabs[3]:
        show_released(here)
    with tabs[4]:
        show_index(here)


def versions(here: Desk) -> None:
    """The timeline, and one version of it whole."""
    rows = timeline(here.warehouse, principal=here.principal)
    if not rows:
        st.info(
            "No version yet. Decide an alert with the verdict quarantine, then propose a version on the tab Propose.",
            icon=":material/gpp_bad:",
        )
        return
    runs = latest_runs(here)
    waiting = [row for row in rows if row["state"] == "proposed"]
    if waiting:
        st.warning(
            f"**{len(waiting):,} proposed {'version waits' if len(waiting) == 1 else 'versions wait'} for approval.** "
            "Nothing changes until then.",
            icon=":material/hourglass_top:",
        )
    show_timeline(rows, runs)
    by_id = {row["quarantine_id"]: row for row in rows}
    default = _first(rows)
    chosen = url_state.one_of("version", list(by_id), default)
    st.selectbox(
        "Version",
        list(by_id),
        format_func=lambda name: version_name(by_id[name]),
        key="version",
        on_change=url_state.keep,
        args=("version", default, ("with",)),
        width=360,
    )
    row = by_id[str(chosen)]
    show_version(here, row, rows, runs.get(row["quarantine_id"]))


def _first(rows: list[dict[str, Any]]) -> str:
    """What somebody most likely came for: the oldest proposal that waits, else what is in force, else the latest."""
    waiting = [row["quarantine_id"] for row in rows if row["state"] == "proposed"]
    standing = [row["quarantine_id"] for row in rows if row["state"] == "in_force"]
    return str([*waiting[-1:], *standing, rows[0]["quarantine_id"]][0])


main()
