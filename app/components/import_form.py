"""Taking documents in from a screen: an upload, or a path below an import root; mapping, preview, start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import streamlit as st

from app.components.labels import apart, file_label, plain_label
from app.components.table import number_column, text_column
from app.services.console_jobs import start, upload_folder
from app.services.import_roots import allowed_path, import_roots
from app.session import Desk
from ragsieve_core.errors import InputError, RagsieveError
from ragsieve_core.formats.columns import columns_of
from ragsieve_core.formats.mapping import FIELDS, ColumnMapping
from ragsieve_core.formats.reading import read_records
from ragsieve_core.formats.records import Record
from warehouse.ids import new_id

ENDINGS: Final = ("jsonl", "ndjson", "csv", "tsv", "parquet", "arrow", "txt", "md", "gz", "zst")
PREVIEWED: Final = 50
# What a person maps on a screen; the rest keeps its own name or goes to the metadata
MAPPED: Final = ("id", "text", "title", "source_uri", "contributor", "tenant", "batch")
_AUTOMATIC: Final = "(by name)"
# No corpus has an empty name, and one may have any other
_NEW: Final = ""
_FILE: Final = "import_file"


def show_import(here: Desk, corpora: Sequence[str]) -> None:
    """Draw the form; nothing is taken in before the button."""
    path = _chosen(here)
    if path is None:
        return
    try:
        columns = columns_of(path) if path.is_file() else ()
    except InputError as error:
        st.error("This file cannot be read.", icon=":material/error:")
        st.text(plain_label(error, 400))
        return
    mapping = _mapping(columns)
    missing = [field for field in ("id", "text") if columns and field not in mapping.resolve(columns)]
    if missing:
        st.info(f"Choose which column holds the {' and the '.join(missing)}.", icon=":material/table_view:")
    taken, refused = (0, 0) if missing else _preview(path, mapping)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        into = _NEW
        if corpora:
            names = [*corpora, _NEW]
            shown = apart(names, lambda name: plain_label(name) if name else "(a new corpus)")
            into = st.selectbox("Into corpus", names, format_func=shown, key="import_corpus", width=220)
        if into == _NEW:
            st.text_input("Name of the new corpus", key="import_new", max_chars=100, width=220)
        st.text_input("Label of this batch", key="import_batch", max_chars=200, width=220)
        st.checkbox(
            "This is the whole corpus",
            key="import_full",
            help="Documents that it lacks are marked as gone. Nothing is deleted.",
        )
        label = (
            f"Take in ({refused} of the first {taken + refused} records would be rejected)" if refused else "Take in"
        )
        st.button(
            label, type="primary", key="import_go", on_click=_start, args=(here, path, mapping), disabled=not taken
        )


def _chosen(here: Desk) -> Path | None:
    if import_roots() and here.principal.role == "admin":
        way = st.segmented_control("From", ["Upload", "Path on the server"], default="Upload", key="import_way")
        if way == "Path on the server":
            return _by_path(here)
    given = st.file_uploader(
        "Documents",
        type=list(ENDINGS),
        key="import_upload",
        help="JSON Lines, CSV, TSV, Parquet, Arrow, text; also gzip or zstd. Over 200 MB: `ragsieve ingest`.",
    )
    if given is None:
        st.session_state.pop(_FILE, None)
        st.caption("Each record needs an id and a text; title, source and contributor help a reviewer most.")
        return None
    known = st.session_state.get(_FILE)
    if known is None or known[0] != given.file_id:
        target = upload_folder(here.warehouse) / f"{new_id('upload')}-{file_label(given.name)}"
        target.write_bytes(given.getbuffer())
        target.chmod(0o600)
        known = st.session_state[_FILE] = (given.file_id, target)
    return Path(known[1])


def _by_path(here: Desk) -> Path | None:
    text = st.text_input("Path", key="import_path", placeholder=str(import_roots()[0]), max_chars=1000)
    if not text:
        return None
    try:
        return allowed_path(text, here.principal)
    except RagsieveError as error:
        st.error("This path cannot be used.", icon=":material/block:")
        st.text(plain_label(error, 400))
        return None


def _mapping(columns: Sequence[str]) -> ColumnMapping:
    if not columns:
        return ColumnMapping()
    guessed = ColumnMapping().resolve(columns)
    with st.expander("Which column holds what", expanded="id" not in guessed or "text" not in guessed):
        row = st.columns(len(MAPPED))
        chosen: dict[str, str] = {}
        for place, field in zip(row, MAPPED, strict=True):
            with place:
                name = st.selectbox(
                    field,
                    [_AUTOMATIC, *columns],
                    format_func=apart([_AUTOMATIC, *columns], _namer(guessed.get(field))),
                    key=f"import_map_{field}",
                )
            if name != _AUTOMATIC:
                chosen[field] = str(name)
    try:
        return ColumnMapping(**chosen)
    except InputError as error:
        st.error("This mapping cannot be used.")
        st.text(plain_label(error, 400))
        return ColumnMapping()


def _namer(found: str | None) -> Callable[[str], str]:
    def shown(column: str) -> str:
        if column == _AUTOMATIC:
            return f"{plain_label(found, 30) if found else 'none'} {_AUTOMATIC}"
        return plain_label(column, 40)

    return shown


def _preview(path: Path, mapping: ColumnMapping) -> tuple[int, int]:
    taken: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    try:
        for record in islice(read_records(path, mapping=mapping), PREVIEWED):
            if isinstance(record, Record):
                taken.append({name: plain_label(getattr(record, name), 120) for name in (*FIELDS[:6], "tenant")})
            else:
                refused.append(
                    {"line": record.line, "field": plain_label(record.field), "why": plain_label(record.reason)}
                )
    except InputError as error:
        st.error("This input cannot be taken in.", icon=":material/error:")
        st.text(plain_label(str(error).replace(f"{path.parent}/", ""), 400))
        return 0, 0
    st.caption(f"First {len(taken) + len(refused)} records: {len(taken)} would be taken, {len(refused)} rejected.")
    if taken:
        columns = {"text": text_column("text", width=420)}
        st.dataframe(taken, hide_index=True, height="content" if len(taken) <= 6 else 250, column_config=columns)
    if refused:
        columns = {"line": number_column("line", width=60), "why": text_column("why it would be rejected", width=500)}
        st.dataframe(refused, hide_index=True, height="content" if len(refused) <= 4 else 180, column_config=columns)
    return len(taken), len(refused)


def _start(here: Desk, path: Path, mapping: ColumnMapping) -> None:
    corpus = st.session_state.get("import_corpus", _NEW)
    if corpus == _NEW:
        corpus = st.session_state.get("import_new", "").strip()
    if not corpus:
        st.session_state["ingest_problem"] = "Name the corpus that the documents belong to."
        return
    arguments = [str(path), "--corpus", corpus]
    for field in FIELDS:
        if column := getattr(mapping, field):
            arguments += ["--map", f"{field}={column}"]
    if label := st.session_state.get("import_batch", "").strip():
        arguments += ["--batch", label]
    if st.session_state.get("import_full"):
        arguments.append("--full")
    try:
        start(here.warehouse, "ingest", arguments, what=f"{path.name} into {corpus}", principal=here.principal)
    except RagsieveError as error:
        st.session_state["ingest_problem"] = str(error)
