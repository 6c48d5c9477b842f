"""What the warehouse takes up, and how it is backed up, cleaned and made smaller."""

from __future__ import annotations

import os
import shlex
from functools import partial
from pathlib import Path
from typing import Any, Final

import streamlit as st

from app.components.labels import plain_label
from app.components.once import draw_again
from app.components.outcome import attempt, plain_lines
from app.components.table import number_column, show_table, text_column
from app.services.features import disk_limit, features_folder
from app.session import Desk
from warehouse.backup import gc

_TASK: Final = "gc"
_PARTS: Final = {
    "embeddings": "vectors of every ingest; a row names each",
    "published": "what is in force, for gates",
    "snapshots": "snapshots as other processes read them; written again when needed",
    "rejects": "records that an ingest refused, with line and reason",
    "backups": "copies made before the file was migrated",
    "neighbors": "neighbour lists of the last scans",
    "scratch": "finished blocks of scans that were interrupted",
    "console": "jobs started from these screens, and their uploads",
    "replays": "scores of stored queries under other versions; made again when needed",
    "inbox": "segments that wait",
    "receipts": "answers to segments, a week",
    "refused": "files that were no segments of this user",
    "tmp": "temporaries",
}


def show_retention(here: Desk) -> None:
    """Sizes, the feature cache, and what to run."""
    wh = here.warehouse
    rows = [{"part": wh.path.name, "bytes": wh.path.stat().st_size / 1e6, "what": "the database itself"}]
    root = wh.side.folder("tmp").parent
    rows += [
        {"part": folder.name, "bytes": size(folder) / 1e6, "what": _PARTS.get(folder.name, "")}
        for folder in sorted(one for one in root.iterdir() if one.is_dir() and one.name != "features" and size(one))
    ]
    show_table(
        rows,
        {
            "part": text_column("part", width=180),
            "bytes": number_column("MB", digits=1, width=90),
            "what": text_column("what it is", width=480),
        },
        name="sizes",
        key="sizes_csv",
        most=14,
    )
    st.subheader("Features of documents")
    cache = features_folder(wh.path)
    st.caption(
        f"{size(cache) / 1e6:,.1f} MB of at most {disk_limit() / 1e9:,.1f} GB "
        "(`RAGSIEVE_FEATURES_LIMIT`). Whatever is missing is computed again; erasing a document erases its features."
    )
    st.subheader("Backup")
    st.markdown("Works while this server runs. Never copy the live file with other programs.")
    _command(f"ragsieve backup {shlex.quote('backups/' + 'monday')} --warehouse {shlex.quote(wh.path.name)}")
    st.subheader("Space")
    st.markdown("Files that no row refers to can go now. A smaller database needs this server stopped first:")
    _command(f"ragsieve compact --warehouse {shlex.quote(wh.path.name)}")
    task = here.background.task(_TASK)
    st.button(
        "Remove files that nothing refers to",
        icon=":material/cleaning_services:",
        key="gc_go",
        on_click=_collect,
        help="Embedding files without a row, exports older than a day, temporaries. Never a row.",
    )
    if task is not None and task.state == "running":
        _watch(here)
    elif task is not None and task.state == "failed":
        st.text(plain_lines(task.problem))
    elif task is not None:
        done = task.result
        st.caption(
            f"Last time: {done.embeddings:,} embedding files, {done.exports:,} exports, {done.temporaries:,} "
            f"temporaries, {done.bytes / 1e6:,.1f} MB."
        )
    st.subheader("Erasure")
    st.markdown(
        "Blanks text, provenance, word evidence and vectors of a document; recorded, and the audit chain stays whole. "
        "With this server stopped:"
    )
    _command("ragsieve erase DOCUMENT --corpus NAME --reason TICKET")


def size(folder: Path) -> int:
    """Bytes below a folder; what vanishes meanwhile counts nothing."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except FileNotFoundError:
                continue
    return total


def _command(text: str) -> None:
    st.code(plain_label(text, 400), language=None)


@st.fragment(run_every=1)
def _watch(here: Desk) -> None:
    task = here.background.task(_TASK)
    if task is None or task.state != "running":
        draw_again()
    st.caption("Removing.")


def _collect() -> None:
    def work(here: Desk) -> str:
        who = here.principal
        who.require_person("admin", "collect garbage")
        begun = here.background.start(_TASK, partial(_gc, here.warehouse, who))
        return "Started." if begun else "It is running already."

    attempt(work)


def _gc(wh: Any, who: Any) -> Any:
    return gc(wh, principal=who)
