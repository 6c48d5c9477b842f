"""One stored query under version A and version B: the same ranking through both, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import streamlit as st

from app.components.definitions import definition
from app.components.labels import html_label, plain_label, spaced
from app.components.outcome import show_outcome
from app.components.replay.choosing import policy_words, quarantine_words, show_versions, version_words
from app.components.replay.comparison import kept, waiting
from app.components.stages import show_stages
from app.components.table import number_column, show_table, text_column
from app.services.comparing import Compared, Laid, Wanted
from app.services.comparison_report import UNKNOWN_WORDS, report
from app.session import Desk
from warehouse.events import EventDetail

_MARKS: Final = {"enters": "enters", "leaves": "leaves under B"}


def show_side_by_side(here: Desk, found: EventDetail) -> None:
    """Draw the choice of the versions and the two columns."""
    a, b = show_versions(here)
    event = found.event
    wanted = Wanted(str(event["corpus"]), a, b, event=str(event["event_id"]), warehouse=here.warehouse.path.name)
    done = kept(here, wanted)
    if not done.events.num_rows:
        st.warning("This query ranked documents that you may not see, so it cannot be played under other versions.")
        return
    told = report(done, listed=0)
    _verdict(done)
    show_outcome()
    waiting(here, wanted, told)
    quarantines, policies = quarantine_words(here), policy_words(here)
    for column, laid, name in zip(st.columns(2, gap="medium"), (done.a, done.b), ("A", "B"), strict=True):
        with column:
            st.html(_heading(name, str(laid.played.state[0]), version_words(laid.version, quarantines, policies)))
            k = laid.side.configs[laid.side.config[0]].k
            show_stages(_rows(found.ranking, done, laid), k, unknown=UNKNOWN_WORDS.get(str(laid.played.unknown[0]), ""))
    candidates(done)
    st.code(plain_label(told["command"], 600), language=None, wrap_lines=True)


def _heading(name: str, state: str, words: str) -> str:
    """Which version a column is; state and note come from elsewhere."""
    return (
        f"<div><b>{name}</b> · {html_label(spaced(state))}</div>"
        f'<div style="font-size:0.85rem;opacity:0.8;overflow-wrap:anywhere">{html_label(words, 300)}</div>'
    )


def _verdict(done: Compared) -> None:
    found = done.found
    if found.changed[0]:
        st.info(
            f"**The final context differs:** {int(found.enters.sum())} enter, {int(found.leaves.sum())} leave.",
            icon=":material/difference:",
        )
    elif found.compared[0]:
        st.success("**The final context is the same under both.**", icon=":material/check:")


def _rows(ranking: Sequence[Mapping[str, Any]], done: Compared, laid: Laid) -> list[dict[str, Any]]:
    """The stored ranking with what leaves it, and what its context is, under this version."""
    played, found, rows = laid.played, done.found, []
    names = done.ranked["document_id"].to_pylist()
    titles = {row["document_id"]: row for row in ranking}
    for place, name in enumerate(names):
        gone = (
            "quarantine" if laid.side.quarantined[place]
            else done.ranked["removed_by"][place].as_py() if done.rankings.stays_out[place]
            else "rsq" if played.flagged[place]
            else ""
        )  # fmt: skip
        moved = "enters" if found.enters[place] else "leaves" if found.leaves[place] else ""
        rows.append(
            {
                "rank": done.ranked["rank"][place].as_py(),
                "document_id": name,
                "title": titles.get(name, {}).get("title"),
                "removed_by": gone,
                "in_context": bool(played.context[place]),
                "mark": _MARKS.get(moved, ""),
            }
        )
    return rows


def candidates(done: Compared) -> None:
    """Every document that is a candidate under either version, with its place and score under both."""
    a, b = done.a.played, done.b.played
    shown = np.flatnonzero((a.place > 0) & (a.place <= _k(done.a)) | (b.place > 0) & (b.place <= _k(done.b)))
    rows = [
        {
            "document_id": plain_label(done.ranked["document_id"][int(row)].as_py()),
            "rank": done.ranked["rank"][int(row)].as_py(),
            **{f"place_{end}": int(one.place[row]) or None for end, one in (("a", a), ("b", b))},
            **{
                f"score_{end}": float(one.score[row]) if np.isfinite(one.score[row]) else None
                for end, one in (("a", a), ("b", b))
            },
            **{f"out_{end}": _what(one, int(row)) for end, one in (("a", a), ("b", b))},
        }
        for row in shown
    ]
    st.markdown("**Candidates under either version**")
    columns: dict[str, Any] = {
        "document_id": text_column("document", width=190),
        "rank": number_column("rank", "As retrieved.", width=60),
    }
    for end in ("a", "b"):
        columns |= {
            f"place_{end}": number_column(f"place, {end.upper()}", "Among the survivors of the quarantine.", width=75),
            f"score_{end}": number_column(f"score, {end.upper()}", definition("score"), digits=3, width=80),
            f"out_{end}": text_column(f"outcome, {end.upper()}", width=140),
        }
    show_table(rows, columns, name="candidates", key="candidates_csv")


def _what(one: Any, row: int) -> str:
    if one.place[row] == 0:
        return "out before RSQ"
    if one.unknown[0]:
        return "not known"
    return "flagged: leaves" if one.flagged[row] else "in context" if one.context[row] else "not in context"


def _k(laid: Laid) -> int:
    return int(laid.side.configs[laid.side.config[0]].k)
