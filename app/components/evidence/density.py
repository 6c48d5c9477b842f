"""RSG: the density of a document against the floor of its own neighbourhood, and every neighbour's fate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.charts.density_floor import density_floor, reason_name
from app.charts.frame import CONFIG
from app.components.definitions import definition, name
from app.components.evidence.reading import decoded, number
from app.components.labels import plain_label, safe_label
from app.components.table import number_column, show_table, text_column

_NUMBERS = ("density", "floor", "eligible_neighbors", "tail_probability", "topology_score", "integrity")
_WHOLE = ("eligible_neighbors", "integrity")


def group_sentence(row: Mapping[str, Any]) -> str:
    """What the `calibrated` rule saw, in words, Markdown; empty where another rule scored the document."""
    detail = decoded(row.get("detail"), {})
    copies = detail.get("copies")
    if "expected_number" not in detail and not copies:
        return ""
    parts = []
    group = detail.get("group")
    if group:
        parts.append(
            f"It stands with **{len(group['members']) - 1} others** apart from the rest of the corpus: evidence "
            f"{number(detail['evidence'])}, alert from {number(detail['evidence_cut'])} (isolation "
            f"{number(group['isolation'])}, shared wording inside the group {number(group['jaccard'])}). If nothing "
            f"were planted, {number(detail['expected_number'], 1)} of {detail['documents']:,} documents would be "
            "expected to look like this."
        )
    else:
        parts.append("No group of documents flagged it.")
    if row.get("integrity"):
        parts.append("Its text mixes writing systems in a way that flags it by itself (integrity = 1).")
    if copies:
        number_of = copies.get("documents", len(copies["members"]))
        same = f"**{number_of:,} documents** say this in the same words, or nearly ({safe_label(copies['kind'], 30)})"
        parts.append(f"{same}, from {copies['sources']:,} sources; a document without a source counts as its own.")
    return " ".join(parts)


def density_sentence(row: Mapping[str, Any], neighbors: Sequence[Mapping[str, Any]]) -> str:
    """What flagged the document, in words, Markdown."""
    if grouped := group_sentence(row):
        return grouped
    retained = sum(1 for other in neighbors if other["retained"])
    share = number((row.get("tail_probability") or 0) * 100, 1)
    parts = [f"**{retained} of {len(neighbors)}** nearest neighbours mean nearly the same and yet use different words."]
    if retained:
        parts.append(f"{share} % of the corpus is at least as dense as this document ({number(row.get('density'))}).")
    else:
        parts.append("So density did not flag it.")
    if row.get("integrity"):
        parts.append("Its text mixes writing systems in a way that flags it by itself (integrity = 1).")
    return " ".join(parts)


def show_density(row: Mapping[str, Any], neighbors: Sequence[Mapping[str, Any]], *, key: str) -> None:
    """Numbers, chart and table of a scan row."""
    config = decoded(row.get("config"), {})
    st.markdown(density_sentence(row, neighbors))
    with st.container(horizontal=True, gap="medium"):
        for field in _NUMBERS:
            value = row.get(field)
            shown = f"{value:.0f}" if value is not None and field in _WHOLE else number(value)
            st.metric(name(field), shown, help=definition(field), width="content")
    if not neighbors:
        st.info("This scan stored no neighbours.", icon=":material/info:")
        return
    chart, table = st.columns([4, 5], gap="medium")
    with chart:
        figure = density_floor(
            neighbors,
            row["floor"] if row.get("floor") is not None else neighbors[-1]["cosine"],
            cosine_cut=config.get("cosine_cut"),
            strongest=int(config.get("strongest", 4)),
        )
        st.plotly_chart(figure, config=CONFIG, key=f"{key}_density")
    with table:
        rows = neighbor_rows(neighbors)
        show_table(rows, _columns(config), name=f"neighbours_{row['version_id']}", key=f"{key}_csv")


def neighbor_rows(neighbors: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the neighbour table, untrusted strings as visible lines."""
    return [
        {
            "position": other["position"],
            "document_id": plain_label(other["document_id"]),
            "cosine": other["cosine"],
            "jaccard": other["jaccard"],
            "fate": plain_label(reason_name(other["reason"], other["retained"])[0]),
            "flagged": bool(other["flagged"]),
            "title": plain_label(other["title"]),
            "source_uri": plain_label(other["source_uri"]),
            "contributor": plain_label(other["contributor"]),
        }
        for other in neighbors
    ]


def _columns(config: Mapping[str, Any]) -> dict[str, Any]:
    cut, ceiling = config.get("cosine_cut"), config.get("jaccard_ceiling")
    cosine = definition("cosine") + (f" Retained from {cut:g}." if cut is not None else "")
    jaccard = definition("jaccard") + (f" Retained up to {ceiling:g}." if ceiling is not None else "")
    return {
        "position": number_column("#", "1 = nearest.", width=36),
        "document_id": text_column("document", width=90),
        "cosine": number_column("cosine", cosine, digits=4, width=66),
        "jaccard": number_column("Jaccard", jaccard, digits=3, width=66),
        "fate": text_column("as evidence", "Retained as evidence, or why not.", width=175),
        "flagged": st.column_config.CheckboxColumn("flagged", help="Flagged in the same scan.", width=62),
        "title": text_column("title", width=160),
        "source_uri": text_column("source", width=160),
        "contributor": text_column("contributor", width=110),
    }
