"""Entry point of the dashboard: the pages, the warehouse, and what is true on every screen."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.components.frame import footer, frame_style, unavailable
from app.components.once import begin_run
from app.components.signing_in import go_on, show_account, show_sign_in
from app.pages_map import navigation
from app.session import desk
from ragsieve_core.errors import RagsieveError
from warehouse.errors import RefusedError

# A file of ours: a named icon here would be fetched from a font host
ICON = str(Path(__file__).with_name("assets") / "icon.svg")

st.set_page_config(page_title="RAGSieve Console", page_icon=ICON, layout="wide", initial_sidebar_state=210)
frame_style()
here, problem = None, None
try:
    here = desk()
except RagsieveError as error:
    problem = error
stranger = isinstance(problem, RefusedError)
# The gate stands after st.navigation, so that a deep link keeps its page, and before the page runs
page = navigation(hidden=stranger)
if here is not None:
    go_on(page)
    show_account(here)
    begin_run()
    page.run()
    footer(here)
elif isinstance(problem, RefusedError):
    show_sign_in(problem, page)
elif problem is not None:
    unavailable(problem)
