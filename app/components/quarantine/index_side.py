"""The version in force for the index: as a file, or posted to it, signed, with receipts."""

from __future__ import annotations

import io
from functools import partial
from typing import Any, Final

import streamlit as st

from app.components.facts import moment
from app.components.labels import plain_label, safe_label
from app.components.once import draw_again
from app.components.outcome import attempt, plain_lines
from app.components.table import number_column, show_table, text_column
from app.services.export_files import Format, write_table
from app.services.webhook import Webhook, deliver_version, read_secret
from app.session import Desk
from ragsieve_core.errors import InputError
from warehouse import exports
from warehouse.index_export import list_receipts
from warehouse.quarantine import current_version

_TASK: Final = "deliver"
_FILES: Final[tuple[tuple[Format, str], ...]] = (
    ("jsonl", "application/x-ndjson"),
    ("parquet", "application/vnd.apache.parquet"),
)


def show_index(here: Desk) -> None:
    """Files, the form that delivers, and what came of earlier deliveries."""
    version = current_version(here.warehouse, principal=here.principal)
    if version is None:
        st.info("No version is in force yet: there is nothing to hand to the index.", icon=":material/database:")
        return
    st.subheader("As a file")
    st.caption(
        f"Corpus, document id, content hash and tenant of the n = {version.members:,} documents of #{version.sequence}."
    )
    with st.container(horizontal=True):
        for kind, mime in _FILES:
            st.download_button(
                "JSON Lines" if kind == "jsonl" else "Parquet",
                partial(_file, here, version.quarantine_id, kind),
                file_name=f"quarantine_{version.sequence}.{kind}",
                mime=mime,
                icon=":material/download:",
                key=f"index_{kind}",
                on_click="ignore",
            )
    st.subheader("To the index")
    if not here.principal.at_least("approver"):
        st.caption("Delivering to an index needs the role approver.")
        return
    st.caption(
        "Posted once, signed, over https; up to five tries, about a minute. The secret is not stored. How the index "
        "checks it: docs/review-desk.md."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Address", key="deliver_url", placeholder="https://index.example/quarantine", width=360)
        st.text_input("Shared secret", key="deliver_secret", type="password", width=220, max_chars=500)
        st.text_input("Allowed private networks", key="deliver_allow", placeholder="10.0.0.0/8", width=200)
        st.button("Deliver", icon=":material/send:", type="primary", key="deliver", on_click=_deliver)
    _progress(here)
    receipts(here)


def _file(here: Desk, version: str, kind: Format) -> bytes:
    stream = io.BytesIO()
    table = exports.quarantine(here.warehouse, principal=here.principal, version=version)
    write_table(table, stream, kind, {"quarantine": version})
    return stream.getvalue()


def _deliver() -> None:
    def work(here: Desk) -> str:
        who = here.principal
        who.require_person("approver", "deliver a quarantine version")
        secret = read_secret(st.session_state.get("deliver_secret", ""))
        allowed = tuple(one.strip() for one in st.session_state.get("deliver_allow", "").split(",") if one.strip())
        version = current_version(here.warehouse, principal=who)
        if version is None:
            raise InputError("no quarantine is in force")
        hook = Webhook(st.session_state.get("deliver_url", "").strip(), secret, allowed)
        job = partial(deliver_version, here.warehouse, version.quarantine_id, hook, principal=who)
        if not here.background.start(_TASK, job):
            raise InputError("a delivery is running", do="wait until it has ended")
        st.session_state["deliver_secret"] = ""
        return "The delivery has started."

    attempt(work)


def _progress(here: Desk) -> None:
    task = here.background.task(_TASK)
    if task is None:
        return
    if task.state == "running":
        _watch(here)
    elif task.state == "failed":
        st.error("**The last delivery was not made.**", icon=":material/error:")
        st.text(plain_lines(task.problem))
    elif task.result.state == "delivered":
        st.success(f"Delivered to {safe_label(task.result.target, 120)}.", icon=":material/check:")
    else:
        st.error(f"**Not delivered** to {safe_label(task.result.target, 120)}.", icon=":material/error:")
        st.text(plain_lines(task.result.problem))


@st.fragment(run_every=1)
def _watch(here: Desk) -> None:
    task = here.background.task(_TASK)
    if task is None or task.state != "running":
        draw_again()
    st.info("Delivering.", icon=":material/progress_activity:")


def receipts(here: Desk) -> None:
    """Deliveries so far."""
    found = list_receipts(here.warehouse, principal=here.principal)
    if not found:
        st.caption("No delivery yet.")
        return
    show_table(
        [_drawn(row) for row in found[:200]],
        {
            "target": text_column("to", width=260),
            "attempts": number_column("tries", width=60),
            "status": number_column("status", "HTTP status of the index's last answer.", width=70),
            "problem": text_column("problem", width=240),
            "body": text_column("body", "First characters of the SHA-256 of what was sent.", width=120),
        },
        name="receipts",
        key="receipts_csv",
        most=6,
    )


def _drawn(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "sent": moment(row["acted_at"]),
        "state": row["state"],
        "target": plain_label(row["target"], 120),
        "attempts": row["attempts"],
        "status": row["status_code"],
        "problem": plain_label(row["problem"], 200),
        "body": row["body_sha256"][:12],
        "by": plain_label(row["actor"]),
        "quarantine": row["quarantine_id"],
    }
