"""Whether the alert's text is on the allow-list, until when, and for which detector version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.components.facts import moment
from app.components.labels import plain_label
from app.components.table import number_column, show_table, text_column
from app.session import Desk
from warehouse.realerting import allow_list


def show_allowed(here: Desk, alert: Mapping[str, Any]) -> None:
    """Entries of this alert; nothing is drawn where there never was one."""
    entries = allow_list(here.warehouse, principal=here.principal, alert=str(alert["alert_id"]))
    if not entries:
        return
    st.subheader("Allow-list")
    standing = [row for row in entries if row["active"]]
    if standing:
        st.success(
            f"This text does not alert again until {moment(max(row['expires_at'] for row in standing))}, unless its "
            "content, the detector version, its score or its campaign changes.",
            icon=":material/playlist_add_check:",
        )
    else:
        st.caption("No entry counts now: they ran out, or the alert was decided otherwise since.")
    rows = [
        {
            "counts": bool(row["active"]),
            "since": moment(row["acted_at"]),
            "until": moment(row["expires_at"]),
            "by": plain_label(row["actor"]),
            "because": f"{row['cause']} ({str(row['reason']).replace('_', ' ')})",
            "score": row["score"],
            "campaign": row["campaign_size"],
            "detector version": plain_label(row["rule_key"], 24),
            "note": plain_label(row["note"], 200) if row["note"] else "",
        }
        for row in entries
    ]
    columns = {
        "counts": st.column_config.CheckboxColumn(
            "counts", help="Not run out, and the alert is still kept or released."
        ),
        "score": number_column("score then", "Highest score seen when it was allowed.", digits=2),
        "campaign": number_column("campaign then", "Members of its campaign when it was allowed."),
        "detector version": text_column("detector version", "Preset and key over its configuration."),
    }
    show_table(rows, columns, name="allow_list", key="allow_csv", most=6)
