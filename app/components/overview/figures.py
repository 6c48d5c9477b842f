"""Work, decisions and drift: figures with the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from app.charts.frame import CONFIG
from app.charts.overview_bars import ages_figure, decisions_figure, drift_figure
from app.charts.palette import TERM_NAMES
from app.components.figure_data import figure_data
from app.components.labels import plain_label
from app.components.table import number_column, show_table
from ragsieve_core.evaluate.drift import LEAST_VALUES, TOO_FEW
from warehouse.overview_figures import DRIFT_DAYS, WEEKS

COMMAND: Final = "ragsieve overview --json"
Rows = Sequence[Mapping[str, Any]]


def show_ages(rows: Rows) -> None:
    """Waiting alerts by age and detector."""
    st.subheader("Waiting alerts by age")
    if not rows:
        st.caption("No alert waits.")
        return
    st.plotly_chart(ages_figure(rows), config=CONFIG, key="ages")
    figure_data(rows, "waiting-alerts", COMMAND, key="ages_data", shown=False)


def show_decisions(rows: Rows) -> None:
    """Decisions by week and verdict."""
    st.subheader("Decisions by week")
    if not rows:
        st.caption(f"No decision in the last {WEEKS} weeks.")
        return
    st.plotly_chart(decisions_figure(rows), config=CONFIG, key="decisions")
    figure_data(rows, "decisions", COMMAND, key="decisions_data", shown=False)


def show_rates(rates: Mapping[str, Any], days: int) -> None:
    """Alerts against what was looked at."""
    st.subheader(f"Alert rates, last {days} days")
    shown = (
        ("alerts_per_scan", "RSG alerts per scan", "rsg_alerts", "scans", "scans"),
        ("alerts_per_1000_new_documents", "per 1,000 new documents", "rsg_alerts", "new_documents", "new documents"),
        ("alerts_per_1000_queries", "RSQ alerts per 1,000 queries", "rsq_alerts", "queries", "queries"),
    )
    with st.container(horizontal=True):
        for field, label, above, below, unit in shown:
            value = rates[field]
            st.metric(
                label,
                "–" if value is None else f"{value:,.2f}",
                help=f"{rates[above]:,} new alerts over n = {rates[below]:,} {unit}.",
                width=235,
                border=True,
            )


def show_reach(reach: Mapping[str, Any]) -> None:
    """How far waiting documents came."""
    st.caption(
        f"Of n = {reach['documents']:,} waiting documents, {reach['retrieved_documents']:,} were retrieved "
        f"(by {reach['events_retrieving']:,} queries) and {reach['in_context_documents']:,} stood in a final context "
        f"(of {reach['events_in_context']:,} queries)."
    )


def show_drift(rows: Rows) -> None:
    """Effect sizes between the last two comparable scans or periods."""
    st.subheader("Drift of the score terms")
    st.caption(
        "Density: the last two scans with equal parameters and encoder. The four terms: candidates of the last "
        f"{DRIFT_DAYS} days with events against the {DRIFT_DAYS} days before, with equal parameters and models. "
        f"'{TOO_FEW}' means fewer than {LEAST_VALUES} values on a side. A drift says that values moved, not why."
    )
    if not rows:
        st.caption("Nothing was scored yet.")
        return
    if any(row["delta"] is not None for row in rows):
        st.plotly_chart(drift_figure(rows), config=CONFIG, key="drift")
    named = [
        {**row, "corpus": plain_label(row["corpus"]), "term": TERM_NAMES.get(row["term"], row["term"])} for row in rows
    ]
    columns = {
        "before": number_column("n before"),
        "now": number_column("n now"),
        "delta": number_column("Cliff's delta", "P(now > before) - P(now < before), -1 to 1.", digits=3),
        "mean_before": number_column("mean before", digits=4),
        "mean_now": number_column("mean now", digits=4),
        "least": None,
    }
    show_table(named, columns, name="drift", key="drift_csv")
