"""What other processes bring and what they are told: the inbox, and what is in force for gates."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime

import streamlit as st

from app.components.facts import age
from app.components.labels import safe_label
from app.session import Desk
from ragsieve_core.publication import PublicationReader
from warehouse.exports import inbox_counts
from warehouse.inbox import waiting

_CARD = 165


def show_sharing(here: Desk) -> None:
    """Counts of the inbox, the publication in force with its age, and whatever keeps them from working."""
    wh = here.warehouse
    counts = inbox_counts(wh)
    reading = PublicationReader(wh.side.folder("published"), missing="open").read()
    force = reading.in_force
    with st.container(horizontal=True):
        _card("Inbox waiting", waiting(wh.path), "Segments of other processes that are not taken in yet.")
        _card("Taken in", counts["taken"], "Segments taken in since this warehouse exists, by inbox and by HTTP.")
        _card("Refused", counts["refused"], "Segments refused with a named reason; each is in the audit log.")
        _card(
            "Publication", force.number, "Number of what is in force for gates. It only rises; 0 = none was made yet."
        )
    if reading.age_s is not None and reading.confirmed_age_s is not None:
        version = f" ({safe_label(force.quarantine_version)})" if force.quarantine_version else ""
        held = sum(end > datetime.now(UTC) for end in force.held.values())
        st.caption(
            f"In force: {len(force.quarantined):,} documents quarantined{version}, {held:,} on hold, "
            f"{len(force.unadmitted):,} not admitted yet. Published {age(reading.age_s / 3600)} ago, "
            f"confirmed {reading.confirmed_age_s:.0f} s ago."
        )
    for problem in _problems(here, reading.problem if reading.state in ("damaged", "lower_number") else ""):
        st.warning(problem, icon=":material/sync_problem:")


def _card(label: str, number: int, meaning: str) -> None:
    st.metric(label, f"{number:,}", help=meaning, width=_CARD, border=True)


def _problems(here: Desk, publication: str) -> list[str]:
    found = []
    if here.inbox.problem:
        found.append(
            "**The inbox cannot be taken in.** Nothing is lost; it is tried again. "
            + safe_label(here.inbox.problem, 200)
        )
    elif not any(thread.name == "ragsieve-inbox" for thread in threading.enumerate()):
        found.append(
            "**The inbox has stopped.** Nothing is lost. Restart `ragsieve serve`; its terminal has the reason."
        )
    if publication:
        found.append(f"**Gates cannot read what is in force.** {safe_label(publication, 200)}")
    aside = sum(1 for _ in os.scandir(here.warehouse.side.folder("refused")))
    if aside:
        found.append(f"{aside:,} files that were no segments of this user are set aside in the folder `refused`.")
    return found
