"""Which models are on this machine, what is missing, and the command that gets it."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from app.components.labels import plain_label
from app.components.once import draw_again
from app.components.outcome import attempt, plain_lines
from app.components.table import number_column, show_table, text_column
from app.session import Desk

_TASK: Final = "models"
ROLES: Final = {"retriever": "retriever", "causal_lm": "surprisal", "trace_encoder": "token vectors"}
STATES: Final = {
    "verified": "ready, hash verified",
    "not pinned": "ready, no hash is known",
    "not converted": "ready after its first use",
    "missing": "missing",
    "wrong": "wrong",
}


def survey_models() -> list[Any]:
    """Every profile and role; hashes each model once."""
    from ragsieve_core.models.inventory import survey
    from ragsieve_core.models.profiles import PROFILES

    # `paper-bge-m3` is another name of `paper`
    return survey(profile for name, profile in PROFILES.items() if name != "paper-bge-m3")


def show_models(here: Desk) -> None:
    """The last survey, or how to make one: it reads every weight, which may take a minute."""
    st.caption(
        "Nothing is downloaded unless `ragsieve models prepare --profile NAME --download` asks for it. Only "
        "safetensors weights and one known GGUF file are read; code shipped with a model is never run."
    )
    task = here.background.task(_TASK)
    running = task is not None and task.state == "running"
    st.button(
        "Look again" if task else "Look what is here",
        icon=":material/search:",
        key="models_go",
        on_click=_start,
        disabled=running,
        help="Hashes every model: about a second per 500 MB.",
    )
    if task is None:
        st.caption("Not looked at since this server started.")
    elif running:
        _watch(here)
    elif task.state == "failed":
        st.error("**The models could not be looked at.**", icon=":material/error:")
        st.text(plain_lines(task.problem))
    else:
        _table(task.result)


def _start() -> None:
    def work(here: Desk) -> str:
        here.principal.require("viewer", "look at the models")
        here.background.start(_TASK, survey_models)
        return "Looking at the models of this machine."

    attempt(work)


@st.fragment(run_every=1)
def _watch(here: Desk) -> None:
    task = here.background.task(_TASK)
    if task is None or task.state != "running":
        draw_again()
    st.info("Hashing the models of this machine.", icon=":material/progress_activity:")


def _table(rows: list[Any]) -> None:
    profiles: dict[str, list[Any]] = {}
    for row in rows:
        profiles.setdefault(row.profile, []).append(row)
    usable = [name for name, parts in profiles.items() if all(row.usable for row in parts)]
    st.markdown(f"**n = {len(usable):,} of {len(profiles):,} profiles can be used** without a download.")
    show_table(
        [
            {
                "profile": row.profile,
                "role": ROLES.get(row.role, row.role),
                "model": plain_label(row.model, 80),
                "state": STATES.get(row.state, row.state),
                "megabytes": row.bytes / 1e6 if row.bytes else None,
                "problem": plain_label(row.problem, 300) if row.problem else None,
            }
            for row in rows
        ],
        {
            "model": text_column("model", width=280),
            "megabytes": number_column("MB", "Size of the weights.", digits=0, width=70),
            "problem": text_column("what to do", width=420),
        },
        name="models",
        key="models_csv",
        most=14,
    )
    lacking = [name for name in profiles if name not in usable]
    if lacking:
        st.markdown("What is missing, with access to the model hub:")
        st.code("\n".join(f"ragsieve models prepare --profile {name} --download" for name in lacking), language=None)
