"""The audit log: every change of state in one chain, newest first, and whether the chain holds."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

import streamlit as st

from app.components import url_state
from app.components.facts import moment
from app.components.labels import apart, plain_label, safe_label
from app.components.table import number_column, show_table, text_column
from app.services.audit_file import audit_lines
from app.session import Desk, desk
from ragsieve_core.errors import RagsieveError
from warehouse import audit

SIZES = (25, 50, 100, 250)
COLUMNS = {
    "sequence": number_column("#", "Place in the chain, from 1, without a gap.", width=60),
    "acted_at": text_column("time (UTC)", width=150),
    "actor": text_column("who", "Identity of the person, program or thread that acted.", width=120),
    "action": text_column("what", width=190),
    "object": text_column("of what", "Id of what it was done to.", width=240),
    "payload": text_column("detail", "Ids, counts and salted commitments; never a text.", width=330),
    "hash": text_column("hash", "SHA-256 over this row and the hash of the row before.", width=110),
}
# Another filter or order starts at its first page: the page of before may not exist there
_bound = partial(url_state.bound, forget=("page", "row"))


def main() -> None:
    """Filters, one page of rows, one row whole, and the check."""
    here = desk()
    st.title("Audit log")
    st.caption(
        "Each row carries the hash of the row before it: an edited, missing or doubled row breaks the chain. A tail "
        "that was cut off shows only against a head kept elsewhere: `ragsieve audit head --sink FILE`."
    )
    try:
        names = audit.actions(here.warehouse, principal=here.principal)
    except RagsieveError as error:
        st.info(f"{safe_label(str(error), 300)}", icon=":material/lock:")
        return
    check(here)
    rows(here, names)


def check(here: Desk) -> None:
    """The end of the chain, and the whole of it verified on request."""
    end = audit.head(here.warehouse)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.metric("Rows", f"{end.sequence:,}", help="Length of the chain.", width=140, border=True)
        pressed = st.button("Verify the chain", icon=":material/verified_user:", key="verify")
        st.download_button(
            "Export the whole chain",
            lambda: audit_lines(here.warehouse, here.principal),
            file_name=f"audit_to_{end.sequence}.jsonl",
            mime="application/x-ndjson",
            icon=":material/download:",
            key="export",
            on_click="ignore",
            help="JSON lines, oldest first: enough to recompute the chain outside.",
        )
    st.caption(f"Head: `{end.hash}`")
    if not pressed:
        return
    with st.spinner("Recomputing every hash"):
        report = audit.verify(here.warehouse)
    if report.ok:
        st.success(f"**The chain holds.** n = {report.rows:,} rows recomputed. Not proved: {report.unproved}.")
    else:
        st.error(f"**The chain is broken at row {report.broken_at}.** {safe_label(report.problem, 300)}")


def rows(here: Desk, names: list[str]) -> None:
    """One page of the log and the row that was chosen."""
    action = url_state.one_of("action", names) or ""
    actor, object_id = url_state.line("actor").strip(), url_state.line("object").strip()
    size = url_state.one_of("rows", SIZES, 50) or 50
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("What", names, None, apart(names), placeholder="Any", width=230, **_bound("action"))
        st.text_input("Who", placeholder="Any", width=170, max_chars=200, **_bound("actor"))
        st.text_input("Id of what", placeholder="Any", width=260, max_chars=200, **_bound("object"))
        st.selectbox("Rows", SIZES, width=90, **_bound("rows", 50))
    page = url_state.whole("page", 1, 10**6, 1)
    found = audit.audit_page(
        here.warehouse,
        principal=here.principal,
        action=action,
        actor=actor,
        object_id=object_id,
        limit=size,
        offset=(page - 1) * size,
    )
    pages = max(1, math.ceil(found.total / size))
    if not found.rows:
        st.info("No row matches. Take a filter away, or go to an earlier page.", icon=":material/filter_alt_off:")
    else:
        show_table([_drawn(row) for row in found.rows], COLUMNS, name="audit", key="audit_csv", most=14)
    with st.container(horizontal=True, vertical_alignment="center"):
        if found.rows:
            shown = f"{found.offset + 1:,} to {found.offset + len(found.rows):,}"
            st.caption(f"n = {found.total:,} rows · {shown} shown", width="content")
        url_state.pager(pages)
    if found.rows:
        whole_row(found.rows)


def whole_row(found: list[dict[str, Any]]) -> None:
    """One row with its payload, chosen by its place in the chain."""
    by_number = {int(row["sequence"]): row for row in found}
    chosen = url_state.one_of("row", list(by_number), next(iter(by_number)))
    st.selectbox(
        "Read a row whole",
        list(by_number),
        format_func=lambda number: _named(by_number[number]),
        key="row",
        on_change=url_state.keep,
        args=("row",),
        width=560,
    )
    row = by_number[int(chosen or next(iter(by_number)))]
    # ASCII alone: what is hidden or reordered stands as its escape
    payload = json.dumps(json.loads(row["payload"]), indent=2, sort_keys=True, ensure_ascii=True)
    lines = (f"previous  {row['previous_hash']}", f"hash      {row['hash']}", "", payload)
    st.code("\n".join(lines), language=None, wrap_lines=True)


def _named(row: dict[str, Any]) -> str:
    return f"{row['sequence']} · {plain_label(row['action'])} · {plain_label(row['object'], 60)}"


def _drawn(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "sequence": row["sequence"],
        "acted_at": moment(row["acted_at"]),
        "actor": plain_label(row["actor"]),
        "action": plain_label(row["action"]).replace("_", " "),
        "object": plain_label(row["object"]),
        "payload": plain_label(row["payload"], 200),
        "hash": row["hash"][:12],
    }


main()
