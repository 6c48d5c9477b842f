"""Entry point of the dashboard: the pages, the warehouse, and what is true on every screen."""

from __future__ import annotations

import streamlit as st

from app.components.frame import footer, unavailable
from app.pages_map import navigation
from app.session import desk
from ragsieve_core.errors import RagsieveError

st.set_page_config(page_title="RAGSieve Console", page_icon=":material/filter_alt:", layout="wide")
page = navigation()
# The gate stands after st.navigation, so that a deep link keeps its page, and before the page runs
try:
    here = desk()
except RagsieveError as error:
    unavailable(error)
else:
    page.run()
    footer(here)
