"""Where nothing that was not flagged was ever drawn, every list of alerts says what its counts cannot tell."""

from __future__ import annotations

import streamlit as st

from app.session import Desk
from ragsieve_core.review.recall import NOT_ESTIMABLE
from warehouse.quality import sampled_corpora


def show_recall_note(here: Desk) -> None:
    """One line, unless some corpus has samples."""
    if not sampled_corpora(here.warehouse, principal=here.principal):
        st.caption(f"{NOT_ESTIMABLE} A draw on the screen Blind review does that.")
