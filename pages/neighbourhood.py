"""Who stands round an alert: its nearest neighbours and its campaign as a graph, with the same rows as a table."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.charts.graph_layout import distance, radial, spread
from app.charts.neighbour_graph import ROLES, Ring, neighbour_graph
from app.components import url_state
from app.components.alert_header import show_header
from app.components.definitions import definition
from app.components.evidence.reading import decoded
from app.components.labels import plain_label, safe_label
from app.components.members_table import show_members
from app.components.neighbourhood import Neighbourhood, around_campaign, around_document
from app.components.table import number_column, show_table, text_column
from app.components.untrusted_text import show_text
from app.pages_map import ALERT, QUEUE, page_file
from app.session import Desk, desk
from ragsieve_core.document import document_text
from ragsieve_core.errors import InputError
from warehouse.alerts import AlertDetail, alert_detail
from warehouse.version_text import get_version

VIEWS = {"document": "Round this document", "campaign": "The whole campaign"}
# Square, so that a ring is a circle
SIDE = 620
COLUMNS = {
    "document_id": text_column("document", width=110),
    "role": text_column("in the graph", width=150),
    "cosine": number_column("cosine", definition("cosine") + " With this alert's document.", digits=4, width=70),
    "jaccard": number_column("Jaccard", definition("jaccard") + " With this alert's document.", digits=3, width=70),
    "group": number_column("group", "Documents that keep each other as evidence share a number.", width=60),
    "score": number_column("score", definition("score"), digits=2, width=60),
    "title": text_column("title", width=200),
    "source_uri": text_column("source", width=180),
    "contributor": text_column("contributor", width=120),
}
_bound = url_state.bound


def main() -> None:
    """Draw the neighbourhood of the alert that the address names."""
    here, wanted = desk(), st.query_params.get("alert", "")
    if not wanted:
        st.title("Neighbourhood")
        st.info("Open an alert of the corpus scan and choose *Neighbourhood* there.", icon=":material/hub:")
        st.page_link(page_file(QUEUE), label="RSG alerts", icon=":material/inbox:", query_params={"detector": "rsg"})
        return
    try:
        found = alert_detail(here.warehouse, wanted, principal=here.principal)
    except InputError:
        st.title("No such alert")
        st.warning("The address names an alert that this warehouse does not have, or that is not yours to see.")
        return
    st.page_link(page_file(ALERT), label="Alert", icon=":material/arrow_back:", query_params={"alert": wanted})
    show_header(found.alert, found.document)
    if not found.scores or not found.neighbors:
        st.info(
            "No scan that you may see stored neighbours of this text. Scan the corpus first.", icon=":material/hub:"
        )
        return
    grouped = found.alert["campaign_size"] > 1
    view = url_state.one_of("view", list(VIEWS), "campaign" if grouped else "document")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if grouped:
            st.segmented_control("View", list(VIEWS), format_func=VIEWS.__getitem__, **_bound("view"), required=True)
        context = url_state.one_of("context", ["yes", "no"], "yes") == "yes"
        if view == "campaign":
            st.selectbox("Documents next to it", ["yes", "no"], width=190, **_bound("context", "yes"))
    if view == "campaign" and grouped:
        around = around_campaign(here.warehouse, found, principal=here.principal, context=context)
    else:
        around = around_document(here.warehouse, found, principal=here.principal)
    draw(here, found, around, centred=view != "campaign" or not grouped)


def draw(here: Desk, found: AlertDetail, around: Neighbourhood, *, centred: bool) -> None:
    """Graph, its legend in words, the chosen document, the table."""
    subject = int(found.alert["version_id"])
    near = {e.other if e.one == subject else e.one: e for e in around.edges if subject in (e.one, e.other)}
    rings: list[Ring] = []
    if centred:
        places = radial(subject, {node: edge.cosine for node, edge in near.items()}, around.groups)
        rings.append(Ring("floor", distance(found.scores[0]["floor"])))
        cut = decoded(found.scores[0].get("config"), {}).get("cosine_cut")
        if cut is not None:
            rings.append(Ring(f"cut {cut:g}", distance(cut), dashed=True))
        words = "Distance from the centre is √(2 (1 − cosine)); the ring is the floor, the farthest of its neighbours."
    else:
        places = spread([node.version_id for node in around.nodes], {(e.one, e.other): e.cosine for e in around.edges})
        words = "Near means alike: path lengths follow √(2 (1 − cosine)) as far as a plane allows."
    kept = [node for node in around.nodes if node.version_id in places]
    inside = {node.version_id for node in kept}
    edges = [edge for edge in around.edges if edge.one in inside and edge.other in inside]
    if centred:
        # What neighbours reject of each other would hide what the alert rests on
        edges = [edge for edge in edges if edge.mutual or subject in (edge.one, edge.other)]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        event = st.echarts_chart(
            neighbour_graph(kept, edges, places, rings),
            width=SIDE,
            height=SIDE,
            key="graph",
            on_select="rerun",
            alt=f"{len(kept)} documents and {len(edges)} neighbour relations; the table below holds the same.",
        )
        mutual, retained = sum(e.mutual for e in edges), sum(e.retained for e in edges)
        st.caption(
            f"{words} n = {len(kept)} documents, {len(edges)} relations: {mutual} kept as evidence by both sides "
            f"(thick, green), {retained - mutual} by one (blue), {len(edges) - retained} rejected (dotted)."
        )
        if around.members < around.members_total:
            st.warning(f"The {around.members} most severe of {around.members_total:,} alerts are drawn.")
    with right:
        reader(here, around, _clicked(event, kept, subject))
    nodes = sorted(around.nodes, key=lambda node: _first(node, near.get(node.version_id)))
    rows = [_row(node, around, near.get(node.version_id)) for node in nodes]
    if centred or not here.principal.at_least("reviewer"):
        show_table(rows, COLUMNS, name="neighbourhood", key="neighbourhood_csv", most=12)
        left_out = 0
    else:
        members = [_member(node, around) for node in nodes]
        left_out = show_members(rows, members, str(found.alert["campaign"]), COLUMNS)
    if found.alert["campaign_size"] > 1:
        query = {"campaign": found.alert["campaign"], "tab": "all", "bulk": "campaign"}
        label = "Decide for the campaign" + (f" without {left_out:,}" if left_out else "")
        st.page_link(page_file(QUEUE), label=label, icon=":material/inbox:", query_params=query)


def reader(here: Desk, around: Neighbourhood, version: int) -> None:
    """The text of the document that was clicked, the alert's own at first."""
    row = around.rows[version]
    st.markdown(f"**{safe_label(row['document_id'], 40)}** {safe_label(row.get('title'), 60)}")
    if alert := row.get("alert_id"):
        st.page_link(page_file(ALERT), label="Its alert", icon=":material/policy:", query_params={"alert": alert})
    try:
        text = get_version(here.warehouse, version, principal=here.principal)
    except InputError:
        st.caption("This text is not visible to you.")
        return
    show_text(document_text(text["text"] or "", text["title"] or ""), height=400)
    st.caption("Click a document of the graph to read it here.")


def _clicked(event: Any, kept: list[Any], subject: int) -> int:
    for group in event["selection"]["selected"] if event and event.get("selection") else []:
        if group["data_type"] == "node":
            chosen = [int(kept[place].version_id) for place in group["data_indices"] if place < len(kept)]
            return chosen[-1] if chosen else subject
    return subject


def _first(node: Any, edge: Any) -> tuple[bool, bool, float]:
    return (node.role != "subject", edge is None, -(edge.cosine or 0) if edge else 0.0)


def _member(node: Any, around: Neighbourhood) -> str | None:
    """The alert of a member of the campaign; None for what only stands next to it."""
    alert = around.rows[node.version_id].get("alert_id") if node.role in ("subject", "member") else None
    return str(alert) if alert else None


def _row(node: Any, around: Neighbourhood, edge: Any) -> dict[str, Any]:
    row = around.rows[node.version_id]
    return {
        "document_id": plain_label(node.document_id),
        "role": ROLES[node.role][0],
        "cosine": edge.cosine if edge else None,
        "jaccard": edge.jaccard if edge else None,
        "group": around.groups.get(node.version_id),
        "score": row.get("score"),
        "title": plain_label(node.title),
        "source_uri": plain_label(row.get("source_uri")),
        "contributor": plain_label(row.get("contributor")),
    }


main()
