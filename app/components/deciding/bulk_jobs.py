"""Recorded jobs: progress while one runs, exact counts after, going on after an interruption, undoing a whole job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from app.components.deciding import words
from app.components.facts import moment
from app.components.labels import plain_label, safe_label
from app.components.once import draw_again
from app.components.outcome import attempt
from app.pages_map import QUEUE, page_file
from app.services.safe_csv import csv_bytes
from app.session import Desk, desk
from ragsieve_core.errors import InputError, RagsieveError
from warehouse.bulk import BulkAct, BulkPreview, BulkReport, list_jobs, report, results, run, start

_RUNNING: Final = "bulk_running"
_LISTED: Final = 12


def begin(act: BulkAct, counted: BulkPreview) -> bool:
    """Within a callback: store the job and work its first items; the page goes on with the rest."""

    def work(here: Desk) -> str:
        job = start(here.warehouse, act, counted, principal=here.principal)
        st.query_params["job"] = job
        return _work(here, job)

    return attempt(work)


def go_on(job: str) -> None:
    """Callback: take up a job that was interrupted."""
    attempt(lambda here: _work(here, job))


def _work(here: Desk, job: str) -> str:
    found = run(here.warehouse, job, principal=here.principal, at_most=1)
    if found.left:
        st.session_state[_RUNNING] = job
        return f"Started: {found.items:,} alerts."
    return f"Finished: {found.done:,} done, {found.refused:,} refused."


def show_jobs(here: Desk) -> None:
    """The latest jobs as links."""
    jobs = list_jobs(here.warehouse, principal=here.principal)
    if not jobs:
        return
    with st.popover(f"Jobs ({len(jobs):,})", icon=":material/checklist:"):
        for job in jobs[:_LISTED]:
            left = f", {job['left']:,} left" if job["left"] else ""
            label = (
                f"{moment(job['acted_at'])} · {job['act']} · {job['done']:,} done, {job['refused']:,} refused{left} · "
                f"{safe_label(job['actor'], 40)}"
            )
            st.page_link(page_file(QUEUE), label=label, query_params={"job": job["job_id"]})


def show_job(here: Desk, undo: Callable[[str], None]) -> None:
    """The job that the address names. ``undo`` is the callback that counts what taking it back would do."""
    name = st.query_params.get("job", "")
    if not name:
        return
    try:
        found = report(here.warehouse, name, principal=here.principal)
    except InputError:
        st.warning("The address names a bulk job that this warehouse does not have.")
        return
    with st.container(border=True, key="bulk_job"):
        if st.session_state.get(_RUNNING) == name and found.left:
            _working(name)
            return
        _counts(here, found)
        with st.container(horizontal=True):
            if here.principal.at_least("reviewer"):
                if found.left:
                    st.button("Go on", key="bulk_go_on", type="primary", on_click=go_on, args=(name,))
                if found.done:
                    st.button("Undo this job", key="bulk_undo", icon=":material/undo:", on_click=undo, args=(name,),
                              help="Counted first, as any act on many.")  # fmt: skip
            st.button("Close", key="bulk_close", on_click=close)


# An address alone never starts a job: this runs where the person's own click did
@st.fragment(run_every=0.3)
def _working(name: str) -> None:
    here = desk()
    try:
        # No call of st stands between begin and commit of a chunk, so that a click meanwhile cannot cut one
        found = run(here.warehouse, name, principal=here.principal, at_most=2)
    except RagsieveError as error:
        st.session_state.pop(_RUNNING, None)
        st.error(safe_label(error.render(), 400))
        return
    ready = found.items - found.left
    st.progress(
        ready / found.items,
        f"{ready:,} of {found.items:,} alerts worked; it pauses if you leave the page, and goes on under Jobs.",
    )
    if not found.left:
        st.session_state.pop(_RUNNING, None)
        draw_again()


def _counts(here: Desk, found: BulkReport) -> None:
    st.markdown(f"**Bulk job** {safe_label(found.job_id, 60)} · {found.act} · by {safe_label(found.author, 60)}")
    numbers = {"Alerts": found.items, "Done": found.done, "Refused": found.refused, "Left": found.left}
    with st.container(horizontal=True, gap="large"):
        for label, number in (numbers | {"Left out": found.exceptions}).items():
            st.metric(label, f"{number:,}", width="content")
    if found.reasons:
        st.markdown(
            "\n".join(f"- {n:,} × refused: {words.refusal(r)} (`{r}`)" for r, n in sorted(found.reasons.items()))
        )
    if found.quarantine_ids:
        made = len(found.quarantine_ids)
        st.caption(
            f"{made:,} quarantine versions came into force with it, the last {safe_label(found.quarantine_ids[-1])}"
        )
    st.download_button(
        "Every alert and what became of it", lambda: _items(here, found.job_id), file_name="bulk_job.csv",
        mime="text/csv", key="bulk_items_csv", icon=":material/download:", type="tertiary", on_click="ignore",
    )  # fmt: skip


def _items(here: Desk, job: str) -> bytes:
    rows = results(here.warehouse, job, principal=here.principal)
    return csv_bytes([row | {"document_id": plain_label(row["document_id"])} for row in rows], None)


def close() -> None:
    """Callback: the job stays recorded; the address names it no more."""
    st.query_params.pop("job", None)
