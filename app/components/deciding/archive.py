"""The incident archive as a download: made when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.components.labels import file_label
from app.session import Desk
from warehouse.incident import incident_archive


def show_archive(here: Desk, alert: Mapping[str, Any]) -> None:
    """A button for those who may export."""
    if not here.principal.at_least("reviewer"):
        return
    name = str(alert["alert_id"])
    st.subheader("Incident archive")
    st.caption(
        "Everything stored about this alert in one file with checksums: evidence, texts, decisions, quarantine, canary "
        "results and its audit rows. Check it anywhere: `ragsieve export incident --verify FILE.zip`."
    )
    st.download_button(
        "Incident archive",
        lambda: incident_archive(here.warehouse, name, principal=here.principal)[0],
        file_name=f"incident_{file_label(alert['document_id'], 40)}_{file_label(name, 40)}.zip",
        mime="application/zip",
        key="incident",
        icon=":material/folder_zip:",
        on_click="ignore",
    )
