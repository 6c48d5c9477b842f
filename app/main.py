"""Entry point of the dashboard: the pages, the warehouse, and what is true on every screen."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.components.frame import footer, frame_style, unavailable
from app.pages_map import navigation
from app.session import desk
from ragsieve_core.errors import RagsieveError

# A file of ours: a named icon here would be fetched from a font host
ICON = str(Path(__file__).with_name("assets") / "icon.svg")

st.set_page_config(page_title="RAGSieve Console", page_icon=ICON, layout="wide", initial_sidebar_state=210)
frame_style()
page = navigation()
# The gate stands after st.navigation, so that a deep link keeps its page, and before the page runs
try:
    here = desk()
except RagsieveError as error:
    unavailable(error)
else:
    page.run()
    footer(here)
