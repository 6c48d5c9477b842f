"""What one query's context would be without this document, from its stored ranking: nothing is searched or rescored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from app.components import url_state
from app.components.evidence.reading import decoded
from app.components.labels import apart, plain_label
from app.components.table import show_table, text_column
from app.session import Desk
from warehouse.alerts import AlertDetail
from warehouse.events import get_event
from warehouse.quarantine_versions import current_version, version_members


def top(ranking: Sequence[Mapping[str, Any]], k: int, out: Collection[str]) -> list[Mapping[str, Any]]:
    """The first ``k`` ranked documents that nothing takes out: neither the answer's own rules nor ``out``."""
    left = [row for row in ranking if not row["removed_by"] and row["document_id"] not in out]
    return sorted(left, key=lambda row: int(row["rank"]))[:k]


def refill_rows(now: Sequence[Mapping[str, Any]], then: Sequence[Mapping[str, Any]], k: int) -> list[dict[str, Any]]:
    """Place by place: what stands there now and then; empty where the stored ranking has nothing left."""
    stood = {row["document_id"] for row in now}

    def line(row: Mapping[str, Any] | None) -> str:
        return "" if row is None else f"{plain_label(row['document_id'], 40)} · {plain_label(row['title'], 60)}"

    rows = []
    for place in range(k):
        one = now[place] if place < len(now) else None
        two = then[place] if place < len(then) else None
        moved = "" if two is None else "new" if two["document_id"] not in stood else f"rank {two['rank']}"
        rows.append({"place": place + 1, "now": line(one), "then": line(two), "from": moved})
    return rows


def show_refill(here: Desk, found: AlertDetail, event_id: str = "") -> None:
    """Draw the preview for ``event_id``, or for one of the queries that ranked this text by choice."""
    st.subheader("If quarantined")
    if not found.reach:
        st.caption("No recorded query ranked this text, so there is no context that would change.")
        return
    chosen = event_id or _choice(found.reach)
    event = get_event(here.warehouse, chosen, principal=here.principal)
    k = int(decoded(event.event["config"], {}).get("k", 5))
    document = str(found.alert["document_id"])
    version = current_version(here.warehouse, principal=here.principal)
    members = version_members(here.warehouse, version.quarantine_id, principal=here.principal) if version else []
    out = {row["document_id"] for row in members if row["corpus_id"] == found.alert["corpus_id"]}
    now, then = top(event.ranking, k, out - {document}), top(event.ranking, k, out | {document})
    query = plain_label(event.event["query_text"], 160) if event.event["query_text"] else "(only its hash is stored)"
    st.markdown(f"The top {k} of this query becomes:")
    st.text(query)
    if [row["document_id"] for row in now] == [row["document_id"] for row in then]:
        own = next((row["removed_by"] for row in event.ranking if row["document_id"] == document), "")
        why = f"{plain_label(own, 20).upper()} took the document out of this answer" if own else "it is not in it now"
        st.info(f"Nothing changes for this query: {why}.", icon=":material/info:")
    columns = {
        "place": st.column_config.NumberColumn("place", width=50),
        "now": text_column("as it is"),
        "then": text_column("without this document"),
        "from": text_column("from", "Rank in the stored ranking, or new in the context.", width=80),
    }
    show_table(refill_rows(now, then, k), columns, name="refill", key="refill_csv")
    st.caption(
        "From the stored ranking of that moment, less what its own rules removed and what is quarantined now. The "
        "search is not repeated and RSQ is not rescored: a document that moves up was not judged against the new tail."
    )


def _choice(reach: Sequence[Mapping[str, Any]]) -> str:
    order = sorted(reach, key=lambda row: (not row["in_context"], row["rank"]))
    events = {row["event_id"]: row for row in order}
    chosen = url_state.one_of("event", list(events), order[0]["event_id"])
    st.selectbox(
        "Query",
        list(events),
        format_func=apart(
            events, lambda name: f"{plain_label(events[name]['query_text'], 110)} · rank {events[name]['rank']}"
        ),
        key="event",
        on_change=url_state.keep,
        args=("event",),
    )
    return str(chosen)
