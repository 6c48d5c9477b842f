"""The timeline of quarantine versions: one row each, a button per row that opens it by its id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from app.components.csv_export import csv_download
from app.components.facts import moment
from app.components.labels import plain_label
from app.components.quarantine.words import STATES, canary_words
from app.components.table import number_column, text_column

_CLICK: Final = "version_click"
_SHOWN: Final = "versions_shown"


def show_timeline(rows: Sequence[Mapping[str, Any]], runs: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw the versions, latest first.

    Parameters
    ----------
    rows : of ``quarantine_versions.timeline``.
    runs : version id -> its latest canary run.
    """
    drawn = [_drawn(row, runs.get(row["quarantine_id"])) for row in rows]
    st.session_state[_SHOWN] = [row["quarantine_id"] for row in rows]
    st.dataframe(
        [{"open": "Open"} | row for row in drawn],
        hide_index=True,
        height="content" if len(drawn) <= 8 else 330,
        placeholder="–",
        column_config={
            "open": st.column_config.ButtonColumn("", width=70, pinned=True, key=_CLICK, on_click=_open),
            "quarantine_id": None,
            "number": number_column("#", "Place in the history, from 1. A roll-back is a new version, too.", width=45),
            "state": text_column("state", width=130),
            "members": number_column("documents", "Documents of this version that you may see.", width=90),
            "canary": text_column(
                "canary replay",
                "Stored queries that had reached the documents it changed, asked again with what is in force.",
                width=210,
            ),
            "author": text_column("proposed by", width=135),
            "proposed": text_column("proposed (UTC)", width=150),
            "approver": text_column("approved by", "`policy`: the limits let one person do it alone.", width=125),
            "published": text_column("in force since (UTC)", width=150),
            "note": text_column("note", width=220),
        },
    )
    csv_download(drawn, "quarantine_versions", key="versions_csv")


def _open() -> None:
    click, shown = st.session_state.get(_CLICK), st.session_state.get(_SHOWN, [])
    if click is not None and 0 <= click["row"] < len(shown):
        st.query_params["version"] = shown[click["row"]]
        st.query_params.pop("with", None)


def _drawn(row: Mapping[str, Any], run: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        "quarantine_id": row["quarantine_id"],
        "number": row["sequence"],
        "state": STATES.get(row["state"], row["state"]),
        "members": row["members"],
        "canary": canary_words(run, row["state"]),
        "author": plain_label(row["author"]),
        "proposed": moment(row["created_at"]),
        "approver": plain_label(row["approved_by"]).replace("_", " "),
        "published": moment(row["published_at"]),
        "note": plain_label(row["note"], 200),
    }
