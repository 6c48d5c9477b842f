"""Version A against version B over all stored queries: numbers with their n, what moves, queries that differ."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import pyarrow as pa
import streamlit as st

from app.components import url_state
from app.components.labels import file_label, plain_label, spaced
from app.components.outcome import attempt, show_outcome
from app.components.replay.choosing import show_filters
from app.components.replay.working import is_running, show_work
from app.components.table import number_column, show_table, text_column
from app.services.background import Tell
from app.services.comparing import Compared, Wanted, compared
from app.services.comparison_report import SCORABLE, UNKNOWN_WORDS, documents, queries_page, report
from app.services.console_models import console_models
from app.services.export_files import write_table
from app.services.owner_access import OwnerAccess
from app.services.replay_scores import stamp
from app.services.rescoring import OTHER_MODELS, Rescored, rescore
from app.services.safe_csv import csv_bytes
from app.session import Desk
from ragsieve_core.errors import BusyError
from warehouse.audit import head
from warehouse.principal import Principal

SIZES: Final = (25, 50, 100, 250)
SHOWS: Final = {"changed": "that differ", "not_compared": "not compared", "same": "that are the same", "all": "all"}
_NONE: Final = {
    "changed": "Of the queries that were compared, none has another context.",
    "not_compared": "Every query was compared.",
    "same": "No query was found with the same context under both.",
    "": "No stored query passes these filters.",
}
# Another filter or order starts at its first page: the page of before may not exist there
_bound = partial(url_state.bound, forget=("page",))
_CLICK: Final = "compare_click"
_SHOWN: Final = "compare_shown"


def task_name(principal: Principal) -> str:
    """Name of a person's scoring of stored queries: one at a time each."""
    return f"compare:{principal.identity}"


def show_comparison(here: Desk, corpora: Sequence[str]) -> None:
    """Draw the choice, the numbers, what waits for the models, and the tables."""
    if not corpora:
        st.info("No corpus yet, so no stored query. `ragsieve ingest`, then `ragsieve query` or `ragsieve replay`.")
        return
    wanted = show_filters(here, corpora)
    done = kept(here, wanted)
    found = report(done, listed=0)
    if found["queries"] == 0:
        st.info("No stored query matches. Ask one under *New query*, or store rankings with `ragsieve replay`.")
        return
    numbers(found)
    show_outcome()
    waiting(here, wanted, found)
    left, right = st.columns(2, gap="medium")
    with left:
        states(found)
    with right:
        moving(done)
    differing(done)
    st.code(plain_label(found["command"], 600), language=None, wrap_lines=True)


def kept(here: Desk, wanted: Wanted) -> Compared:
    """The comparison as of one state of the warehouse, for one scope."""
    scope, sequence = here.principal.scope_key(), head(here.warehouse).sequence
    return _compared(here, wanted, str(here.warehouse.path), scope, sequence, stamp(here.warehouse.side))


@st.cache_resource(max_entries=4, show_spinner="playing stored queries", hash_funcs={Wanted: repr})
def _compared(_here: Desk, wanted: Wanted, path: str, scope: str, sequence: int, scores: str) -> Compared:
    return compared(_here.warehouse, wanted, principal=_here.principal)


def numbers(found: Mapping[str, Any]) -> None:
    """What differs, of how many."""
    n, left = found["compared"], sum(found["not_compared"].values())
    share = "" if found["changed_share"] is None else f" ({found['changed_share']:.1%})"
    cells = (
        ("Final context differs", f"{found['changed']:,} of {n:,}{share}", "Queries whose top k under B is not that "
         "under A. A count over everything stored, not an estimate."),
        ("Documents that enter", f"{found['entering']:,}",
         f"In a context under B and not under A; {found['entries']:,} places in all."),
        ("Documents that leave", f"{found['leaving']:,}",
         f"In a context under A and not under B; {found['exits']:,} places in all."),
        ("Not compared", f"{left:,} of {found['queries']:,}", "What stored scores cannot answer; see below."),
        ("Tail short, A · B", f"{found['tail_short']['a']:,} · {found['tail_short']['b']:,}",
         "Fewer survivors than the rule looks at: the evidence is weaker."),
    )  # fmt: skip
    with st.container(horizontal=True):
        for label, value, meaning in cells:
            st.metric(label, value, border=True, help=meaning, width=205)


def waiting(here: Desk, wanted: Wanted, found: Mapping[str, Any]) -> None:
    """What is not compared and why, and scoring it with the models."""
    name, left = task_name(here.principal), found["not_compared"]
    if left:
        lines = [f"- **{count:,}**: {UNKNOWN_WORDS[why]}" for why, count in sorted(left.items(), key=lambda i: -i[1])]
        st.markdown("Not compared:\n" + "\n".join(lines))
    running = is_running(here, name)
    scorable = sum(left.get(why, 0) for why in SCORABLE)
    if scorable and here.principal.at_least("reviewer"):
        st.button(
            f"Score {scorable:,} queries with the models",
            key="compare_score",
            icon=":material/model_training:",
            on_click=score,
            args=(wanted,),
            disabled=running,
            help="Beside the page, with the models of the profile `embedded`. Scores are kept beside the warehouse; no "
            "event is stored and no alert opens.",
        )
    elif scorable:
        st.caption("Scoring them needs the role reviewer.")
    show_work(here, name, "scored", running=running)
    if not running:
        _told(here, name)


def score(wanted: Wanted) -> None:
    """Callback: score what stands between the two versions and a comparison."""

    def work(here: Desk) -> str:
        who = here.principal
        who.require_person("reviewer", "score stored queries")
        job = partial(_score, OwnerAccess(here.warehouse, who), wanted)
        if not here.background.start_long(task_name(who), job):
            raise BusyError("stored queries of yours are being scored", do="wait for it, or cancel it")
        return "Scoring. The numbers follow when it has ended."

    attempt(work)


def _score(access: OwnerAccess, wanted: Wanted, tell: Tell) -> Rescored:
    with console_models(access.wh.path, "embedded", tell, retriever=False) as ready:
        return rescore(access, wanted, ready.features, tell)


def _told(here: Desk, name: str) -> None:
    task = here.background.task(name)
    if task is None or task.state != "done":
        return
    others = task.result.left.get(OTHER_MODELS, 0)
    more = f" {others:,} queries were left out: other models than these had scored them." if others else ""
    st.success(f"{task.result.scored:,} rankings were scored.{more}", icon=":material/check:")
    # Said once: on a later visit it would stand beside numbers of another choice
    here.background.forget(name)


def states(found: Mapping[str, Any]) -> None:
    """Answer states under each version."""
    st.markdown("**Answer states**")
    rows = [row | {"state": _state(row["state"])} for row in found["states"]]
    columns = {
        "state": text_column("state", "State of the answer; for an unknown one why."),
        "a": number_column("queries, A", f"of n = {found['queries']:,}", width=90),
        "b": number_column("queries, B", f"of n = {found['queries']:,}", width=90),
    }
    show_table(rows, columns, name="answer-states", key="states_csv")


def moving(done: Compared) -> None:
    """Documents that enter or leave a context."""
    st.markdown("**Documents that enter or leave**")
    rows = [row | {"document_id": plain_label(row["document_id"])} for row in documents(done)]
    if not rows:
        st.caption("None: every compared context is the same under both." if done.found.compared.any() else "–")
        return
    columns = {
        "document_id": text_column("document"),
        "enters": number_column("enters", "Queries whose context it is in under B and not under A.", width=80),
        "leaves": number_column("leaves", "Queries whose context it is in under A and not under B.", width=80),
    }
    show_table(rows[:500], columns, name="documents-moved", key="moved_csv")
    if len(rows) > 500:
        st.caption(f"The first 500 of {len(rows):,}; the command gives all of them.")


def differing(done: Compared) -> None:
    """One page of queries, each with a button that opens both versions of it."""
    show = url_state.one_of("show", list(SHOWS), "changed") or "changed"
    size = url_state.one_of("rows", SIZES, 50) or 50
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Queries", list(SHOWS), format_func=SHOWS.__getitem__, width=180, **_bound("show", "changed"))
        st.selectbox("Rows", SIZES, width=90, **_bound("rows", 50))
    kind = "" if show == "all" else show
    _, total = queries_page(done, kind, limit=0)
    pages = max(1, math.ceil(total / size))
    page = url_state.whole("page", 1, pages, 1)
    rows, _ = queries_page(done, kind, limit=size, offset=(page - 1) * size)
    st.session_state[_SHOWN] = [row["event_id"] for row in rows]
    if rows:
        _draw(rows)
    else:
        st.caption(_NONE[kind])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"n = {total:,} queries · {len(rows):,} shown", width="content")
        url_state.pager(pages)
        if rows:
            _exports(done, kind)


def _draw(rows: Sequence[Mapping[str, Any]]) -> None:
    st.dataframe(
        [{"open": "A | B", "event_id": row["event_id"]} | _drawn(row) for row in rows],
        hide_index=True,
        height="content" if len(rows) <= 12 else 460,
        placeholder="–",
        column_config={
            "open": st.column_config.ButtonColumn("", width=70, pinned=True, key=_CLICK, on_click=_open),
            "event_id": None,
            "query": text_column("query", "Null where the policy stores the hash alone.", width=270),
            "outcome": text_column("outcome", width=95),
            "enters": text_column("enters", "In the context under B and not under A.", width=120),
            "leaves": text_column("leaves", "In the context under A and not under B.", width=120),
            "moves": number_column("moves", "Documents that enter or leave.", width=60),
            "state_a": text_column("state, A", width=115),
            "state_b": text_column("state, B", width=115),
            "condition": text_column("condition", width=70),
            "source": text_column("source", width=60),
            "asked": text_column("asked (UTC)", width=120),
        },
    )


def _drawn(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "query": plain_label(row["query_text"], 120) if row["query_text"] is not None else "(hash only)",
        "outcome": spaced(row["outcome"]),
        "enters": ", ".join(plain_label(name, 40) for name in row["enters"]) or None,
        "leaves": ", ".join(plain_label(name, 40) for name in row["leaves"]) or None,
        "moves": row["moves"],
        "state_a": _state(row["state_a"]),
        "state_b": _state(row["state_b"]),
        "condition": plain_label(row["condition"], 30),
        "source": row["source"],
        "asked": row["asked"][:16].replace("T", " "),
    }


def _state(name: str) -> str:
    return plain_label(spaced(name), 40)


def _exports(done: Compared, show: str) -> None:
    """Every query of the choice, not the page alone."""

    def rows() -> list[dict[str, Any]]:
        return queries_page(done, show, limit=done.events.num_rows)[0]

    def as_csv() -> bytes:
        flat = [
            row | {name: json.dumps(row[name], ensure_ascii=False) for name in ("enters", "leaves")} for row in rows()
        ]
        return csv_bytes(flat)

    def as_parquet() -> bytes:
        stream = io.BytesIO()
        write_table(pa.Table.from_pylist(rows()), stream, "parquet", {"command": done.wanted.command()})
        return stream.getvalue()

    name = file_label(f"compare-{done.wanted.corpus}")
    kinds = (("CSV", as_csv, "csv", "text/csv"), ("Parquet", as_parquet, "parquet", "application/vnd.apache.parquet"))
    for label, data, ending, mime in kinds:
        st.download_button(
            label,
            data,
            file_name=f"{name}.{ending}",
            mime=mime,
            key=f"compare_{ending}",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            help="Every query of this choice, on all pages.",
        )


def _open() -> None:
    click, shown = st.session_state.get(_CLICK), st.session_state.get(_SHOWN, [])
    if click is not None and 0 <= click["row"] < len(shown):
        st.query_params["event"] = shown[click["row"]]
