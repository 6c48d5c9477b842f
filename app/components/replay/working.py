"""Work with the models that a page waits for: how far it is, a way to end it, and why it failed."""

from __future__ import annotations

import streamlit as st

from app.components.facts import age
from app.components.once import draw_again
from app.components.outcome import plain_lines
from app.session import Desk, desk
from warehouse.ids import utc_now


def is_running(here: Desk, name: str) -> bool:
    """Whether work of this name is under way."""
    task = here.background.task(name)
    return task is not None and task.state == "running"


def show_work(here: Desk, name: str, what: str, *, running: bool) -> None:
    """Progress of what runs, or how the last run ended where it did not end well.

    Parameters
    ----------
    what : in words of ours, to follow "was".
    running : as the rest of the page was drawn: work that ended meanwhile draws the page anew.
    """
    task = here.background.task(name)
    if running:
        _watch(here, name)
    elif task is None:
        return
    elif task.state == "failed":
        st.error(f"**Nothing was {what}.**", icon=":material/error:")
        st.text(plain_lines(task.problem))
        st.button("Dismiss", key=f"dismiss_{what}", type="tertiary", on_click=_forget, args=(name,))
    elif task.state == "cancelled":
        st.info(f"Cancelled: not everything was {what}.", icon=":material/stop:")


@st.fragment(run_every=1)
def _watch(here: Desk, name: str) -> None:
    task = here.background.task(name)
    if task is None or task.state != "running":
        draw_again()
    seconds = (utc_now() - task.started_at).total_seconds()
    since = f"{seconds:.0f} s" if seconds < 60 else age(seconds / 3600)
    with st.container(border=True):
        share = min(1.0, task.done / task.total) if task.total else 0.0
        count = f" · {task.done:,} of {task.total:,}" if task.total else ""
        st.progress(share, text=f"{task.title or 'starting'}{count} · {since}")
        if task.cancelling:
            st.caption("It ends at its next step.")
        else:
            st.button("Cancel", icon=":material/stop:", key="work_cancel", on_click=_cancel, args=(name,))


def _cancel(name: str) -> None:
    desk().background.cancel(name)


def _forget(name: str) -> None:
    desk().background.forget(name)
