"""The head of an alert: title, numbers, and what the flag says and does not say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.components.definitions import definition
from app.components.facts import age, heading_html, moment
from ragsieve_core.review.workflow import status_at
from warehouse.alert_state import state_of
from warehouse.ids import utc_now

DETECTORS = {
    "rsq": ("RSQ, at query time", "Among the documents of one query it stands out against the tail of its ranking."),
    "rsg": ("RSG, in the corpus", "Near neighbours say the same in other words, or its text mixes writing systems."),
    "copies": ("Copies", "Documents of several sources or contributors say the same in nearly the same words."),
}
HIGHEST = "The highest of every scan and query that flagged this text so far."
UNKNOWN = ("another detector", "Its score reached the threshold.")


def show_header(alert: Mapping[str, Any], document: Mapping[str, Any]) -> None:
    """Draw the head of one alert."""
    name, meaning = DETECTORS.get(alert["detector"], UNKNOWN)
    status = status_at(state_of(alert), utc_now())
    kicker = f"{name} · {status.replace('_', ' ')} · {alert['alert_id']}"
    st.html(heading_html(kicker, document.get("title") or alert["document_id"]))
    hours = (utc_now() - alert["opened_at"]).total_seconds() / 3600
    numbers = (
        ("Score", f"{alert['score']:.2f}", f"{definition('score')} {HIGHEST}"),
        ("Threshold", f"{alert['threshold']:.2f}", definition("threshold")),
        ("Severity", f"{alert['severity']:.0f} / 100", definition("severity")),
        ("Reach", f"{alert['in_context']} / {alert['retrieved']}", definition("reach")),
        ("Campaign", f"{alert['campaign_size']}", definition("campaign_size")),
        ("Opened", f"{age(hours)} ago", moment(alert["opened_at"])),
    )
    with st.container(horizontal=True, gap="medium"):
        for label, value, meaning_of in numbers:
            st.metric(label, value, help=meaning_of, width="content")
    st.info(
        f"**What the flag says.** {meaning} It looks promoted.  \n"
        "**What it does not say.** Whether the text is false, who is to blame, or that it should be deleted. "
        "Check the source before you decide.",
        icon=":material/info:",
    )
