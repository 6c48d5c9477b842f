"""Which screens there are, in the order of the menu. A new screen is a file in `pages/` and a line here."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

_PAGES: Final = Path(__file__).resolve().parent.parent / "pages"
OVERVIEW: Final = "overview"
QUEUE: Final = "queue"
ALERT: Final = "alert"

# group -> (file, title, icon); the first page is where the bare address leads
SCREENS: Final = {
    "Review": (
        (QUEUE, "Queue", ":material/inbox:"),
        (ALERT, "Alert", ":material/policy:"),
    ),
    "Warehouse": ((OVERVIEW, "Overview", ":material/dashboard:"),),
}


def page_file(name: str) -> Path:
    """The file of a page, for links and `st.switch_page`."""
    return _PAGES / f"{name}.py"


def navigation() -> st.Page:
    """Register all screens and return the one that the address names."""
    pages = {
        group: [
            st.Page(page_file(name), title=title, icon=icon, url_path=name, default=name == QUEUE)
            for name, title, icon in screens
        ]
        for group, screens in SCREENS.items()
    }
    return st.navigation(pages)
