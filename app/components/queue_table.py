"""The table of the queue: untrusted strings as visible lines, and a tick and two buttons per row that act by its id."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from app.components import queue_pick
from app.components.deciding import words
from app.components.definitions import definition
from app.components.facts import age, moment
from app.components.labels import plain_label
from app.components.outcome import attempt
from app.components.queue_pick import Purpose
from app.components.table import number_column, text_column
from app.session import Desk
from ragsieve_core.review.workflow import UNDECIDED
from warehouse.claims import claim
from warehouse.ids import utc_now
from warehouse.records import Page

SHOWN: Final = "queue_shown"
OPENED: Final = "queue_opened"
_VERSIONS: Final = "queue_versions"
_OPEN: Final = "queue_click"
_CLAIM: Final = "queue_claim"
_TICK: Final = "queue_tick"
_PURPOSE: Final = "queue_purpose"
_PICK: Final = {
    "select": ("select", "Act on the ticked alerts with *Act on many*. Ticks stay while you page, sort and filter."),
    "leave_out": ("leave out", "Ticked alerts are left out of the act."),
}


def drawn_rows(page: Page) -> list[dict[str, Any]]:
    """Rows as they are shown and exported."""
    return [
        {
            "alert_id": row["alert_id"],
            "severity": row["severity"],
            "score": row["score"],
            "detector": row["detector"].upper(),
            "document_id": plain_label(row["document_id"]),
            "status": words.short_state(row["status"], row["verdict"]),
            "holder": _holder(row),
            "kind": row["kind"],
            "title": plain_label(row["title"]),
            "campaign_size": row["campaign_size"],
            "reach": f"{row['in_context']} / {row['retrieved']}",
            "age": age(row["age_hours"]),
            "source_uri": plain_label(row["source_uri"]),
            "contributor": plain_label(row["contributor"]),
            "tenant": plain_label(row["tenant"]),
            "corpus": plain_label(row["corpus"]),
        }
        for row in page.rows
    ]


def _holder(row: dict[str, Any]) -> str:
    if not row["holder"]:
        return ""
    left = (row["expires_at"] - utc_now()).total_seconds() / 3600
    return f"{plain_label(row['holder'], 40)}, {age(left)} left"


def open_clicked() -> None:
    """Remember the id that was drawn in the clicked row; the page is left after the callback."""
    alert = _clicked(_OPEN)
    if alert is not None:
        st.session_state[OPENED] = alert


def claim_clicked() -> None:
    """Claim the alert that was drawn in the clicked row, then open it."""
    alert = _clicked(_CLAIM)
    if alert is None:
        return
    version = int(st.session_state[_VERSIONS][alert])

    def work(here: Desk) -> str:
        made = claim(here.warehouse, alert, version, principal=here.principal)
        return f"Yours until {moment(made.expires_at)}."

    if attempt(work):
        st.session_state[OPENED] = alert


def tick_clicked() -> None:
    """Tick or untick the alert that was drawn in the clicked row."""
    alert = _clicked(_TICK)
    if alert is not None:
        queue_pick.flip(st.session_state[_PURPOSE], alert)


def _clicked(key: str) -> str | None:
    click, shown = st.session_state.get(key), st.session_state.get(SHOWN, [])
    return shown[click["row"]] if click is not None and 0 <= click["row"] < len(shown) else None


def show_queue(page: Page, *, may_act: bool = True, purpose: Purpose = "select") -> None:
    """Draw one page; without ``may_act`` there is nothing but *Open*."""
    ids = [row["alert_id"] for row in page.rows]
    st.session_state[SHOWN] = ids
    st.session_state[_VERSIONS] = {row["alert_id"]: row["version"] for row in page.rows}
    rows = drawn_rows(page)
    height: Any = "content" if len(rows) <= 14 else 500
    columns = _columns()
    data: list[dict[str, Any]] = [{"open": "Open"} | row for row in rows]
    if may_act:
        chosen = frozenset(queue_pick.picked(purpose))
        free = [row["status"] in UNDECIDED and not row["holder"] for row in page.rows]
        data = [
            {
                queue_pick.COLUMN: queue_pick.TICKED if row["alert_id"] in chosen else queue_pick.UNTICKED,
                "open": "Open",
                "claim": "Claim" if one else None,
            }
            | row
            for row, one in zip(rows, free, strict=True)
        ]
        label, meaning = _PICK[purpose]
        st.session_state[_PURPOSE] = purpose
        # A button, not an editor: an editor's edits are by place and get lost where its rows are drawn anew
        columns[queue_pick.COLUMN] = st.column_config.ButtonColumn(
            label, help=meaning, width=64 if purpose == "select" else 84, pinned=True, key=_TICK, on_click=tick_clicked
        )
        columns["claim"] = st.column_config.ButtonColumn("", width=68, pinned=True, key=_CLAIM, on_click=claim_clicked)
    st.dataframe(data, hide_index=True, height=height, placeholder="–", column_config=columns)


def _columns() -> dict[str, Any]:
    severity = st.column_config.ProgressColumn(
        "severity", min_value=0, max_value=100, format="%.0f", help=definition("severity"), width=100
    )
    return {
        "open": st.column_config.ButtonColumn("", width=66, pinned=True, key=_OPEN, on_click=open_clicked),
        "alert_id": None,
        "severity": severity,
        "score": number_column("score", definition("score"), digits=2, width=58),
        "detector": text_column("detector", "RSQ: against the query's own tail. RSG: in the corpus.", width=68),
        "kind": text_column("kind", definition("kind"), width=80),
        "document_id": text_column("document", width=100),
        "title": text_column("title", width=180),
        "status": text_column("status", definition("status"), width=140),
        "holder": text_column("holder", "Who has claimed it, and for how long still.", width=120),
        "campaign_size": number_column("campaign", definition("campaign_size"), width=74),
        "reach": text_column("reach", definition("reach"), width=58),
        "age": text_column("age", definition("opened_at"), width=54),
        "source_uri": text_column("source", width=150),
        "contributor": text_column("contributor", width=95),
        "tenant": text_column("tenant", width=80),
        "corpus": text_column("corpus", width=90),
    }
