"""Members of a campaign and what stands next to them, with a tick per member that leaves it out of the decision.

The ticks are those of the queue: what is left out here is left out there, and the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from app.components import queue_pick
from app.components.csv_export import csv_download

_CLICK: Final = "member_tick"
_SHOWN: Final = "members_shown"


def show_members(
    rows: Sequence[Mapping[str, Any]], alerts: Sequence[str | None], campaign: str, columns: Mapping[str, Any]
) -> int:
    """Draw the table; returns how many members are left out.

    Parameters
    ----------
    rows : as they are shown, untrusted strings through `labels.plain_label`.
    alerts : alert of each row, None where there is nothing to leave out.
    campaign : its id: what was left out of another one is forgotten.
    """
    queue_pick.leave_out_of(campaign)
    st.session_state[_SHOWN] = list(alerts)
    chosen = frozenset(queue_pick.picked("leave_out"))
    ticks = [None if one is None else queue_pick.TICKED if one in chosen else queue_pick.UNTICKED for one in alerts]
    tick = st.column_config.ButtonColumn(
        "leave out",
        help="Ticked members are left out when you decide for the campaign.",
        width=84,
        pinned=True,
        key=_CLICK,
        on_click=_flip,
    )
    st.dataframe(
        [{queue_pick.COLUMN: mark} | dict(row) for mark, row in zip(ticks, rows, strict=True)],
        hide_index=True,
        height="content" if len(rows) <= 12 else 390,
        column_config={queue_pick.COLUMN: tick} | dict(columns),
        placeholder="–",
    )
    csv_download(rows, "neighbourhood", key="neighbourhood_csv")
    return sum(mark == queue_pick.TICKED for mark in ticks)


def _flip() -> None:
    """Callback: by the id that was drawn in the clicked row."""
    click, shown = st.session_state.get(_CLICK), st.session_state.get(_SHOWN, [])
    if click is not None and 0 <= click["row"] < len(shown) and shown[click["row"]] is not None:
        queue_pick.flip("leave_out", shown[click["row"]])
