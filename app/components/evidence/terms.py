"""The score of RSQ at a glance: four terms against the threshold, for all candidates of the query."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.charts.four_terms import four_terms
from app.charts.frame import CONFIG
from app.charts.palette import TERM_NAMES
from app.components.csv_export import csv_download
from app.components.definitions import definition
from app.components.evidence.alignment import alignment_sentence
from app.components.evidence.anchors import anchor_sentence
from app.components.evidence.reading import Candidate, number
from app.components.evidence.script import script_sentence
from app.components.evidence.surprisal import surprisal_sentence

FIELDS = (
    *("rank", "document_id", "score", "flagged", "p_anchor", "e_anchor", "v_script", "p_script", "e_script"),
    *("burst_8", "change_8", "burst_16", "change_16", "e_surprisal", "alignment_jump", "p_alignment", "e_alignment"),
)


def show_terms(
    found: Candidate, candidates: Sequence[Candidate], threshold: float, n: int, k: int, *, key: str
) -> None:
    """Chart on the left, one sentence per term on the right."""
    rows = [other.row for other in candidates] or [found.row]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.plotly_chart(four_terms(rows, threshold, found.row["document_id"]), config=CONFIG, key=f"{key}_terms")
        csv_download(rows, f"candidates_{found.row['document_id']}", key=f"{key}_terms_csv", columns=FIELDS)
    sentences = {
        "e_anchor": anchor_sentence(found, n, k),
        "e_script": script_sentence(found),
        "e_surprisal": surprisal_sentence(found),
        "e_alignment": alignment_sentence(found),
    }
    with right:
        for term, name in TERM_NAMES.items():
            with st.container(gap=None):
                value = number(found.row.get(term), 2)
                st.markdown(f"**{name.capitalize()}** {value}", help=definition(term))
                st.caption(sentences[term])
