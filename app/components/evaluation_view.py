"""Which cells the evaluation page shows, from its address; and what one cell opens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import streamlit as st

from app.charts.cell_curves import budget_figure, histogram_figure, roc_figure
from app.charts.evaluation_heatmap import cell_key
from app.charts.frame import CONFIG
from app.components import url_state
from app.components.figure_data import figure_data
from app.components.labels import apart, plain_label, safe_label
from app.components.table import number_column, show_table, text_column
from app.services.evaluating import ablation_rows
from ragsieve_core.evaluate.cells import BUDGETS, Sample, Slice, missed
from ragsieve_core.evaluate.curves import budget_curve, histogram, roc

MEASURES: Final = {
    "auroc": "AUROC",
    **{f"detection_at_{budget:g}": f"detected at {100 * budget:g} % clean removal" for budget in BUDGETS},
}
POPULATIONS: Final = {
    "retrieved": "retrieved: the first five of each question",
    "injected": "injected: all planted documents",
}
_bound = url_state.bound


@dataclass(frozen=True, slots=True)
class View:
    """Measure, population and dataset on show; ``dataset`` empty = all."""

    measure: str
    population: str
    dataset: str


def show_controls(datasets: Sequence[str]) -> View:
    """Draw the controls and return what the address says."""
    measure = url_state.one_of("measure", list(MEASURES), "auroc") or "auroc"
    population = url_state.one_of("population", list(POPULATIONS), "retrieved") or "retrieved"
    dataset = url_state.one_of("dataset", list(datasets)) or ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Measure", list(MEASURES), format_func=MEASURES.__getitem__, width=290, **_bound("measure", "auroc")
        )
        st.selectbox(
            "Documents",
            list(POPULATIONS),
            format_func=POPULATIONS.__getitem__,
            width=330,
            **_bound("population", "retrieved"),
        )
        st.selectbox(
            "Dataset", list(datasets), None, apart(datasets), width=190, placeholder="Any", **_bound("dataset")
        )
    return View(measure, population, dataset)


def chosen_cell(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The cell that the address names, among the rows on show."""
    keys = {cell_key(row): row for row in rows}
    asked = url_state.one_of("cell", list(keys))
    st.selectbox(
        "Cell",
        list(keys),
        None,
        apart(keys, lambda key: plain_label(key.replace("~", " · "), 120)),
        placeholder="Click a cell above, or choose one",
        **_bound("cell"),
    )
    return keys.get(asked or "")


def show_cell(where: Slice, sample: Sample, row: Mapping[str, Any]) -> None:
    """ROC, histogram, budget curve, ablation and missed documents of one cell."""
    st.subheader(safe_label(f"{where.dataset} · {where.retriever} · {where.attack} · {where.detector}", 160))
    units = "questions" if where.population == "retrieved" or where.detector.startswith("rsq") else "targets or sources"
    st.caption(
        f"n = {row['n']:,} with {row['positives']:,} planted (prevalence {row['prevalence']:.2%}) in "
        f"{row['positive_units']:,} and {row['negative_units']:,} {units}. 95 % intervals, conditional on this corpus."
    )
    command = str(row["command"])
    if row["auroc"] is None:
        st.info("One kind of document is missing here: label clean ones too, for instance with `--rest-clean`.")
        return
    curve = roc(sample.score, sample.poison)
    budgets = np.geomspace(0.001, 0.5, 40).tolist()
    found = budget_curve(sample.score, sample.poison, budgets)
    edges, bad, good = histogram(sample.score, sample.poison)
    left, middle, right = st.columns(3)
    with left:
        st.plotly_chart(roc_figure(curve, row["caught"], row["clean_removed"] or 0.0), config=CONFIG, key="roc")
        points = zip(curve.false_positive, curve.true_positive, curve.threshold, strict=True)
        named = [{"false_positive": float(f), "true_positive": float(t), "threshold": float(s)} for f, t, s in points]
        figure_data(named, "roc", command, key="roc_data", shown=False)
    with middle:
        st.plotly_chart(budget_figure(budgets, found), config=CONFIG, key="budget")
        named = [{"budget": b, "detection": float(d)} for b, d in zip(budgets, found, strict=True)]
        figure_data(named, "budget", command, key="budget_data", shown=False)
    with right:
        st.plotly_chart(histogram_figure(edges, bad, good), config=CONFIG, key="histogram")
        bars = zip(edges[:-1], edges[1:], bad, good, strict=True)
        named = [{"from": float(a), "to": float(b), "planted": int(p), "clean": int(c)} for a, b, p, c in bars]
        figure_data(named, "histogram", command, key="histogram_data", shown=False)
    st.code(plain_label(command, 600), language=None, wrap_lines=True)
    show_missed(sample)
    terms = ablation_rows({where: sample}, resamples=200)
    if terms:
        st.subheader("Ablation")
        kept = {
            "auroc": "AUROC",
            "auroc_low": "low",
            "auroc_high": "high",
            "detection_at_0.05": "detected at 5 % clean removal",
            "detection_at_0.05_low": "low",
            "detection_at_0.05_high": "high",
        }
        show_table(
            [{name: one[name] for name in ("score", *kept)} for one in terms],
            {"score": text_column("Score", "The full score, one term left out, or one alone.")}
            | {name: number_column(label, digits=3) for name, label in kept.items()},
            name="ablation",
            key="ablation",
        )


def show_missed(sample: Sample) -> None:
    """Planted documents below the rule's own threshold."""
    rows = missed(sample)
    st.subheader("Missed documents")
    if not rows.size:
        st.caption("None: the rule flags every planted document of this cell.")
        return
    st.caption(f"{rows.size:,} planted documents that the rule's own threshold does not flag, lowest score first.")
    shown = [
        {
            "document": plain_label(sample.name[row], 90),
            "score": float(sample.score[row]) if np.isfinite(sample.score[row]) else None,
            "state": "scored below the threshold" if np.isfinite(sample.score[row]) else "never in the first five",
        }
        for row in rows.tolist()
    ]
    columns = {"document": text_column("Question and document"), "score": number_column("Score", digits=4)}
    show_table(shown, columns | {"state": text_column("Why")}, name="missed", key="missed")
