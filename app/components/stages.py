"""One ranking through serial deployment: as retrieved, after the quarantine, after RSQ, and what the answer got."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from app.components.labels import html_label

# What takes a document out before RSQ looks
BEFORE_RSQ: Final = frozenset({"quarantine", "hold", "rsg", "unadmitted", "hidden"})
_BOX: Final = "border:1px solid rgba(128,138,150,0.35);border-radius:0.5rem;padding:0.45rem 0.6rem;min-width:0"
_LINE: Final = "display:flex;gap:0.45rem;font-size:0.86rem;line-height:1.6;min-width:0"
_CUT: Final = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap"


@dataclass(frozen=True, slots=True)
class Stage:
    """One column: its name, what it means, and (rank, row, gone by) of its documents; ``unknown`` says why none."""

    name: str
    meaning: str
    places: tuple[tuple[int, Mapping[str, Any], str], ...]
    unknown: str = ""


def stages(ranking: Sequence[Mapping[str, Any]], k: int, unknown: str = "") -> tuple[Stage, ...]:
    """Four views of one ranking, k documents each.

    Parameters
    ----------
    ranking : rows of event_ranking in rank order: ``rank``, ``document_id``, ``title``, ``in_context``, ``removed_by``;
        ``mark``, where it is there, is said beside the document in the last column.
    k : size of the context.
    unknown : why it is not known what RSQ took, in words of ours; empty where it is.
    """
    left = [row for row in ranking if row["removed_by"] not in BEFORE_RSQ]
    retrieved = [(row["rank"], row, row["removed_by"] if row["removed_by"] in BEFORE_RSQ else "") for row in ranking]
    scored = [(place, row, row["removed_by"]) for place, row in enumerate(left, start=1)]
    kept = [(row["rank"], row, "") for row in ranking if row["in_context"]]
    if unknown:
        scored = [(place, row, "") for place, row, _ in scored]
    passed = () if unknown else tuple(p for p in scored[:k] if not p[2])
    return (
        Stage("As retrieved", f"Ranks 1 to {k} of the retriever.", tuple(retrieved[:k])),
        Stage("After quarantine and holds", "Survivors, renumbered: what RSQ looked at.", tuple(scored[:k])),
        Stage("After RSQ", "Survivors that were not flagged.", passed, unknown),
        Stage("Final context", "Refilled once from the surviving ranking.", tuple(kept), unknown),
    )


def show_stages(ranking: Sequence[Mapping[str, Any]], k: int, unknown: str = "") -> None:
    """Draw the four columns; a document that leaves is struck through and says by what."""
    columns = "".join(_column(stage) for stage in stages(ranking, k, unknown))
    st.html(
        f'<div style="display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:0.7rem">{columns}</div>'
    )


def _column(stage: Stage) -> str:
    marked = stage.name == "Final context"
    lines = "".join(_line(*place, marked=marked) for place in stage.places)
    if stage.unknown:
        lines = f'<div style="font-size:0.86rem;overflow-wrap:anywhere">Not known: {html_label(stage.unknown)}.</div>'
    lines = lines or f'<div style="{_LINE}">nothing</div>'
    return (
        f'<div style="{_BOX}"><div style="font-weight:600">{stage.name}</div>'
        f'<div style="font-size:0.76rem;opacity:0.7;margin-bottom:0.3rem">{stage.meaning}</div>{lines}</div>'
    )


def _line(rank: int, row: Mapping[str, Any], gone: str, *, marked: bool) -> str:
    name, title = html_label(row["document_id"], 40), html_label(row.get("title") or "", 80)
    struck = "text-decoration:line-through;opacity:0.75" if gone else ""
    why = _tag(f"out: {gone}", "#D55E00") if gone else ""
    if marked and row.get("mark"):
        why = _tag(row["mark"], "#0072B2")
    return (
        f'<div style="{_LINE}"><span style="opacity:0.6;min-width:1.5rem;text-align:right">{rank}</span>'
        f'<span style="{_CUT};{struck}" title="{title}"><code>{name}</code> {title}</span>{why}</div>'
    )


def _tag(words: str, colour: str) -> str:
    """Words in the page's own colour: the colours themselves are too faint for text on white or on black."""
    return f'<b style="border-bottom:2px solid {colour};white-space:nowrap">{html_label(words, 26)}</b>'
