"""Numbers of a what-if: the policy in force beside the proposal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from app.charts.frame import CONFIG
from app.charts.whatif_curves import threshold_curve, volume_per_day
from app.components.figure_data import figure_data
from app.components.labels import plain_label, safe_label
from app.components.table import number_column, show_table, text_column
from app.services.weighing import Weighed
from ragsieve_core.whatif.outcome import CLEAN, POISON

BASIS = {
    "flagged_only": "Only flagged items were ever labelled or decided: precision is known, caught and clean removal "
    "are not. Label a random sample (`sampling_probability`) to know them.",
    "none": "Nothing is labelled in this slice: only volume is known. Take labels in with `ragsieve label`.",
    "audit_sample": "Rates are estimated from an audit sample, weighted by the probability of being drawn.",
}


def show_numbers(found: Mapping[str, Any]) -> None:
    """Side by side: volume, rates with intervals and n, what flips."""
    queries = found["unit"] == "queries"
    days, item = found["days"], "candidates" if queries else "documents"
    rows = [
        ("flagged", f"{item.capitalize()} flagged", "By the setting, over everything stored of this slice."),
        ("touched", "Queries touched" if queries else "Documents touched", "With at least one flag."),
        ("per_thousand", f"Per 1,000 {found['unit']}", f"Flagged {item} per 1,000 {found['unit']}."),
        ("recent_flagged", f"Flagged, last {days} days", "What it would have alerted on."),
        (
            "recent_per_thousand",
            f"Per 1,000 {'queries' if queries else 'new'}, last {days} days",
            f"Of those {'asked' if queries else 'ingested'} in that time.",
        ),
    ]
    table = [
        {"measure": label, **{end: _plain(found[end][name]) for end in ("in_force", "proposed")}, "meaning": meaning}
        for name, label, meaning in rows
    ]
    for name, label in (("caught", "Planted caught"), ("removed", "Clean removed"), ("precision", "Precision")):
        table.append(
            {"measure": label, **{end: _rate(found[end][name]) for end in ("in_force", "proposed")},
             "meaning": "Percent, 95 % interval, n labelled; clusters counted once."}
        )  # fmt: skip
    if queries:
        ends = {end: _recall(found[end]) for end in ("in_force", "proposed")}
        table.append({"measure": "Recall@5 of what survives", **ends, "meaning": "Needs relevance judgements."})
    columns = {
        "measure": text_column("Measure", width=200),
        "in_force": text_column("In force", width=170),
        "proposed": text_column("Proposed", width=170),
    }
    show_table(table, columns | {"meaning": text_column("What it is")}, name="what-if", key="numbers", most=20)
    if found["proposed"]["basis"] in BASIS:
        st.info(BASIS[found["proposed"]["basis"]], icon=":material/label_off:")
    for note in found["notes"]:
        st.info(safe_label(note, 300), icon=":material/info:")
    with st.container(horizontal=True):
        st.metric("Newly flagged", f"{found['raised']:,}", border=True, width=170)
        st.metric("No longer flagged", f"{found['released']:,}", border=True, width=170)
        st.metric(
            "Against a decision", f"{found['contradicting']:,}", border=True, width=190,
            help="Newly flagged though a person kept it, or no longer flagged though a person quarantined it.",
        )  # fmt: skip
        if found["needs_replay"] is not None:
            st.metric(
                "Events that need a replay",
                f"{found['needs_replay']:,} of {found['events']:,}", border=True, width=240,
                help="Their ranking holds a document that flips. They are counted, never rescored from stored rows.",
            )  # fmt: skip


def show_flips(found: Mapping[str, Any]) -> None:
    """Documents whose flag changes, those against a decision first."""
    if not found["flips"]:
        return
    st.subheader("Documents that flip")
    listed, total = len(found["flips"]), found["raised"] + found["released"]
    st.caption(f"{listed:,} of {total:,} shown: against a decision first, then by score.")
    rows = [
        row | {name: plain_label(row[name], 60) for name in ("document_id", "query_id") if name in row}
        for row in found["flips"]
    ]
    columns: dict[str, Any] = {"document_id": text_column("Document"), "query_id": text_column("Question")}
    columns |= {"before": number_column("In force", digits=3), "after": number_column("Proposed", digits=3)}
    columns |= {"flag": text_column("Flag"), "verdict": text_column("Verdict")}
    columns["contradicts"] = st.column_config.CheckboxColumn("Against it")
    show_table(rows, columns, name="flips", key="flips")


def show_curves(weighed: Weighed, found: Mapping[str, Any]) -> None:
    """Shares over thresholds of the proposed setting, and flagged items per day."""
    score, poison, threshold = weighed.axis, weighed.prepared.truth.poison, weighed.axis_name
    top = float(np.quantile(score, 0.999)) if score.size else 1.0
    at = np.linspace(0, max(top, 1.0) * 1.05, 120)
    both = found["proposed"]["basis"] in ("labels", "audit_sample")

    def share(rows: Any) -> list[float]:
        ordered = np.sort(score[rows])
        left = (ordered.size - np.searchsorted(ordered, at, side="left")) / max(1, ordered.size)
        return [float(one) for one in left]

    flagged = share(np.ones(score.size, dtype=bool))
    caught = share(poison == POISON) if both and (poison == POISON).any() else None
    removed = share(poison == CLEAN) if both and (poison == CLEAN).any() else None
    marks = {end: float(found["parameters"][end][threshold]) for end in ("in_force", "proposed")}
    left, right = st.columns([3, 2])
    with left:
        st.plotly_chart(
            threshold_curve(at.tolist(), flagged, caught, removed, x=threshold, **marks), config=CONFIG, key="curve"
        )
        data = [
            {"threshold": float(one), "flagged": flagged[place]}
            | ({"caught": caught[place]} if caught else {})
            | ({"clean_removed": removed[place]} if removed else {})
            for place, one in enumerate(at)
        ]
        figure_data(data, "threshold-curve", str(found["command"]), key="curve_data", shown=False)
    with right:
        days = [found[end]["per_day"] for end in ("in_force", "proposed")]
        st.plotly_chart(volume_per_day(*days), config=CONFIG, key="days")
        data = [{"days_ago": age, "in_force": a, "proposed": b} for age, (a, b) in enumerate(zip(*days, strict=True))]
        figure_data(data, "flagged-per-day", str(found["command"]), key="days_data", shown=False)
    st.code(plain_label(found["command"], 600), language=None, wrap_lines=True)


def _plain(value: Any) -> str:
    if value is None:
        return "not available"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _rate(rate: Mapping[str, Any] | None) -> str:
    if rate is None or rate["value"] is None:
        return "not available"
    low, high = (f"{100 * rate[end]:.1f}" for end in ("low", "high"))
    return f"{rate['value']:.1%} [{low}, {high}] n {rate['n']:,}"


def _recall(side: Mapping[str, Any]) -> str:
    return "not available" if side["recall_at_5"] is None else f"{side['recall_at_5']:.3f} n {side['recall_queries']:,}"
