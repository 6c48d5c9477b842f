"""Jobs started from a screen: what runs, how far it is, how the last ones ended."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.components.facts import age, moment
from app.components.labels import apart, plain_label, safe_label
from app.components.once import draw_again
from app.components.table import count_columns, text_column
from app.services.console_jobs import Job, cancel, jobs
from app.session import Desk
from ragsieve_core.errors import RagsieveError
from warehouse.ids import utc_now

STATES = {
    "running": "running",
    "done": "done",
    "rejects": "done, with rejected records",
    "failed": "failed",
    "cancelled": "cancelled",
    "lost": "lost: its process is gone",
}


@st.fragment(run_every=2)
def show_running(here: Desk) -> None:
    """The running job with its progress; the whole page is drawn anew when it has ended."""
    running = next((job for job in jobs(here.warehouse) if job.state == "running"), None)
    seen = st.session_state.get("job_seen")
    st.session_state["job_seen"] = running.job_id if running else None
    if seen and running is None:
        draw_again()
    if running is None:
        return
    since = age((utc_now() - running.started_at).total_seconds() / 3600)
    with st.container(border=True):
        st.markdown(
            f"**{running.kind.capitalize()}** {safe_label(running.what)} · by {safe_label(running.by)} · {since}"
        )
        share = min(1.0, running.done / running.total) if running.total else 0.0
        step = running.title or "starting"
        count = f" {running.done:,} of {running.total:,}" if running.total else ""
        st.progress(share, text=f"{step}{count}")
        st.button("Cancel", icon=":material/stop:", key="job_cancel", on_click=_cancel, args=(here, running.job_id))


def show_jobs(here: Desk) -> None:
    """The last jobs, each with its outcome; one of them whole."""
    found = jobs(here.warehouse)
    if not found:
        st.caption("None yet.")
        return
    rows = [_row(job) for job in found]
    st.dataframe(
        rows,
        hide_index=True,
        height="content" if len(found) <= 8 else 330,
        column_config=count_columns(rows)
        | {"outcome": text_column("outcome", width=420), "of": text_column("of", width=190)},
        placeholder="–",
    )
    names = {job.job_id: job for job in found}
    chosen = st.selectbox(
        "What a job said", list(names), format_func=apart(names, lambda one: _name(names[one])), width=460
    )
    st.code(_visible(names[chosen].said) or "nothing", language=None, wrap_lines=True)


def outcome(job: Job) -> str:
    """How a job ended, in one line."""
    if job.state in ("done", "rejects") and job.result:
        wanted = ("accepted", "duplicates", "rejected", "documents", "flagged", "new_alerts", "seconds")
        parts = [f"{name.replace('_', ' ')} {_number(job.result[name])}" for name in wanted if name in job.result]
        return ", ".join(parts)
    if job.state == "failed":
        lines = [line for line in job.said.splitlines() if line.strip()]
        return next((line for line in lines if line.startswith("error:")), lines[-1] if lines else "no word")
    return ""


def _number(value: Any) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _row(job: Job) -> dict[str, Any]:
    return {
        "started": moment(job.started_at),
        "what": job.kind,
        "of": plain_label(job.what, 60),
        "by": plain_label(job.by, 40),
        "state": STATES[job.state],
        "outcome": plain_label(outcome(job), 200),
    }


def _name(job: Job) -> str:
    return f"{moment(job.started_at)} · {job.kind} · {plain_label(job.what, 40)}"


def _visible(said: str) -> str:
    return "\n".join(plain_label(line, 300) for line in said.splitlines() if line.strip())


def _cancel(here: Desk, job_id: str) -> None:
    try:
        stopped = cancel(here.warehouse, job_id, principal=here.principal)
    except RagsieveError as error:
        st.session_state["ingest_problem"] = str(error)
        return
    st.session_state["ingest_word"] = "Interrupted; it ends as Ctrl-C would end it." if stopped else "It had ended."
