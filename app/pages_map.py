"""Which screens there are, in the order of the menu. A new screen is a file in `pages/` and a line here."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

_PAGES: Final = Path(__file__).resolve().parent.parent / "pages"
OVERVIEW: Final = "overview"
QUEUE: Final = "queue"
ALERT: Final = "alert"
NEIGHBOURHOOD: Final = "neighbourhood"
REPLAY: Final = "replay"
INGEST: Final = "ingest"
AUDIT: Final = "audit"
QUARANTINE: Final = "quarantine"
BLIND: Final = "blind"
SETTINGS: Final = "settings"
WHAT_IF: Final = "what_if"
EVALUATION: Final = "evaluation"

# group -> (file, title, icon)
SCREENS: Final = {
    "Review": (
        (QUEUE, "Queue", ":material/inbox:"),
        (ALERT, "Alert", ":material/policy:"),
        (NEIGHBOURHOOD, "Neighbourhood", ":material/hub:"),
        (REPLAY, "Replay", ":material/replay:"),
        (QUARANTINE, "Quarantine", ":material/gpp_bad:"),
        (BLIND, "Blind review", ":material/visibility_off:"),
    ),
    "Warehouse": (
        (OVERVIEW, "Overview", ":material/dashboard:"),
        (INGEST, "Ingest & scans", ":material/upload_file:"),
        (AUDIT, "Audit", ":material/link:"),
        (SETTINGS, "Settings", ":material/settings:"),
    ),
    "Measure": (
        (WHAT_IF, "What-if", ":material/tune:"),
        (EVALUATION, "Evaluation", ":material/monitoring:"),
    ),
}


def page_file(name: str) -> Path:
    """The file of a page, for links and `st.switch_page`."""
    return _PAGES / f"{name}.py"


def start() -> None:
    """The bare address: it leads to the queue, whose own address then works as a link like that of any other page."""
    st.switch_page(page_file(QUEUE), query_params=st.query_params.to_dict())


def names() -> tuple[str, ...]:
    """Every screen by the name in its address."""
    return tuple(name for screens in SCREENS.values() for name, _, _ in screens)


def navigation(*, hidden: bool = False) -> st.Page:
    """Register all screens and return the one that the address names; ``hidden`` leaves the menu out."""
    pages = {
        group: [st.Page(page_file(name), title=title, icon=icon, url_path=name) for name, title, icon in screens]
        for group, screens in SCREENS.items()
    }
    pages[""] = [st.Page(start, title="Start", default=True, visibility="hidden")]
    return st.navigation(pages, position="hidden" if hidden else "sidebar")
